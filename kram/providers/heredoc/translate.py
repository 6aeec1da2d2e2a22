"""The two directions of the wrapper: a request rewritten for a model that calls by text, its answer read back. Pure."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from kram.config import Model
from kram.messages import (
    BlockStopped,
    CompletionRequest,
    MessageDelta,
    MessageStopped,
    StreamEvent,
    TextDelta,
    ToolSpec,
)

from .grammar import COMPACT, FREE, grammar
from .history import ResultsAs, exchanges, replay
from .prompt import instructions
from .reader import HeredocReader

_CUT = frozenset({"max_tokens", "content_filter"})
_PLAIN_ENDS = frozenset({"end_turn", "stop_sequence"})


def speaks_text(request: CompletionRequest, model: Model) -> bool:
    """Whether this call's tools travel as text. Without tools there is nothing to translate."""
    return model.tool_format == "heredoc" and bool(request.tools)


def rewritten(request: CompletionRequest, model: Model, results: ResultsAs) -> CompletionRequest:
    """The request without tools and stop sequences, with a grammar, the dialect explained and the history as text.

    A compact model learns the dialect from examples in front of the conversation instead of from an explanation: it reads
    slowly and follows examples better. A grammar or a response format of the caller's own stays in force.
    """
    shown = request.examples if model.compact else ()
    explained = () if shown else (instructions(request.tools),)
    boundary = request.dynamic_boundary
    place = boundary or len(request.system)
    stable, moving = request.system[:place], request.system[place:]
    return msgspec.structs.replace(
        request,
        system=(*stable, *explained, *moving),
        dynamic_boundary=boundary + len(explained) if boundary else 0,
        messages=(*exchanges(shown, results), *replay(request.messages, results)),
        tools=(),
        examples=(),
        tool_choice="",
        stop=(),
        grammar=_grammar(request, model),
    )


def _grammar(request: CompletionRequest, model: Model) -> str:
    if request.grammar or request.response_format is not None:
        return request.grammar
    return grammar(request.tools, choice=request.tool_choice, style=COMPACT if model.compact else FREE)


class Translator:
    """Turns an answer's events into what native calls would have given; all calls come before the stop reason."""

    def __init__(self, tools: Iterable[ToolSpec]) -> None:
        self._reader = HeredocReader({tool.name for tool in tools})
        self._closed = False

    def take(self, event: StreamEvent) -> list[StreamEvent]:
        match event:
            case TextDelta():
                return self._reader.feed(event.text)
            case BlockStopped() if self._reader.in_call:
                return []
            case MessageDelta() if event.stop_reason:
                found = self._close(cut=event.stop_reason in _CUT)
                if self._reader.calls and event.stop_reason in _PLAIN_ENDS:
                    event = msgspec.structs.replace(event, stop_reason="tool_use")
                return [*found, event]
            case MessageStopped():
                return [*self._close(cut=False), event]
            case _:
                return [event]

    def _close(self, *, cut: bool) -> list[StreamEvent]:
        if self._closed:
            return []
        self._closed = True
        return self._reader.close(cut=cut)
