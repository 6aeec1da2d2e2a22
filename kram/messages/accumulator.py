"""Folds normalised stream events into a finished answer, in arrival order, keeping each call's raw argument text.

Argument text is never parsed here: judging and repairing it has one place, `kram.tools.arguments`.
"""

from __future__ import annotations

from typing import assert_never

from .blocks import Block, TextBlock, ThinkingBlock, ToolUseBlock
from .stream import (
    BlockStopped,
    Completion,
    MessageDelta,
    MessageStarted,
    MessageStopped,
    RedactedThinking,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    ThinkingSignature,
    ToolInputDelta,
    ToolUseStarted,
    ToolUseStopped,
)
from .usage import Usage

MAX_TOKENS = 1_000_000_000
"""A larger figure (or one below zero) is a mistake of the server and is not taken."""


class _Call:
    """A call that is still being written."""

    def __init__(self, started: ToolUseStarted) -> None:
        self.id = started.id
        self.name = started.name
        self.signature = started.signature
        self.pieces: list[str] = []
        self.closed = False

    def block(self) -> ToolUseBlock:
        return ToolUseBlock(id=self.id, name=self.name, arguments="".join(self.pieces), signature=self.signature)


class Accumulator:
    """Feed events with `add`; read `completion()` at any time, also after a break in the middle."""

    def __init__(self) -> None:
        self._done: list[Block | _Call] = []
        self._calls: dict[int, _Call] = {}
        self._text: list[str] = []
        self._thinking: list[str] = []
        self._signature = ""
        self._figures: dict[str, int] = {}
        self._stop_reason = ""
        self._finish_reason = ""
        self._refusal = ""
        self._model = ""
        self._finished = False

    def add(self, event: StreamEvent) -> None:
        match event:
            case MessageStarted():
                self._model = event.model or self._model
            case TextDelta():
                self._close_thinking()
                self._text.append(event.text)
            case ThinkingDelta():
                self._close_text()
                if self._signature:
                    self._close_thinking()
                self._thinking.append(event.text)
            case ThinkingSignature():
                self._close_text()
                self._signature += event.signature
            case RedactedThinking():
                self._close()
                self._done.append(ThinkingBlock(redacted=event.data))
            case BlockStopped():
                self._close()
            case ToolUseStarted():
                self._close()
                call = _Call(event)
                self._calls[event.index] = call
                self._done.append(call)
            case ToolInputDelta():
                if event.index in self._calls:
                    self._calls[event.index].pieces.append(event.text)
            case ToolUseStopped():
                if event.index in self._calls:
                    self._calls[event.index].closed = True
            case MessageDelta():
                self._note(event)
            case MessageStopped():
                self._close()
                self._finished = True
            case _:
                assert_never(event)

    @property
    def text(self) -> str:
        """The visible text so far."""
        done = "".join(block.text for block in self._done if isinstance(block, TextBlock))
        return done + "".join(self._text)

    @property
    def thinking(self) -> str:
        """The reasoning so far."""
        done = "".join(block.thinking for block in self._done if isinstance(block, ThinkingBlock))
        return done + "".join(self._thinking)

    def completion(self) -> Completion:
        """What has come so far. Unclosed calls are reported apart and are not to be run."""
        content: list[Block] = []
        unfinished: list[ToolUseBlock] = []
        for item in self._done:
            if not isinstance(item, _Call):
                content.append(item)
            elif item.closed:
                content.append(item.block())
            else:
                unfinished.append(item.block())
        if self._thinking or self._signature:
            content.append(ThinkingBlock(thinking="".join(self._thinking), signature=self._signature))
        if text := "".join(self._text):
            content.append(TextBlock(text=text))
        return Completion(
            content=tuple(content),
            stop_reason=self._stop_reason,
            finish_reason=self._finish_reason,
            refusal=self._refusal,
            usage=Usage(**self._figures),
            usage_reported=bool(self._figures),
            model=self._model,
            finished=self._finished,
            unfinished=tuple(unfinished),
        )

    def _note(self, event: MessageDelta) -> None:
        self._stop_reason = event.stop_reason or self._stop_reason
        self._finish_reason = event.finish_reason or self._finish_reason
        self._refusal += event.refusal
        for field in ("input", "output", "cache_read", "cache_write", "reasoning"):
            figure = getattr(event, field)
            if figure is not None and 0 <= figure <= MAX_TOKENS:
                self._figures[field] = figure

    def _close(self) -> None:
        self._close_thinking()
        self._close_text()

    def _close_text(self) -> None:
        if text := "".join(self._text):
            self._done.append(TextBlock(text=text))
        self._text.clear()

    def _close_thinking(self) -> None:
        if self._thinking or self._signature:
            self._done.append(ThinkingBlock(thinking="".join(self._thinking), signature=self._signature))
        self._thinking.clear()
        self._signature = ""
