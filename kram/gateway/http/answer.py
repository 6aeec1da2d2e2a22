"""What a model said as OpenAI's JSON: a whole `chat.completion`, or `chat.completion.chunk`s. Pure.

Beyond OpenAI's fields: `reasoning_content` (text of the reasoning, as DeepSeek and others name it), `reasoning_details` (blocks
that carry a proof the provider wants back, as OpenRouter names them), `extra_content.kram.signature` on a call (the same for
calls), and `kram` (who answered). A client that sends an assistant message back as it got it keeps all of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from kram.base import Data, Json
from kram.messages import (
    Completion,
    MessageDelta,
    RedactedThinking,
    Route,
    StreamEvent,
    TextBlock,
    TextDelta,
    ThinkingBlock,
    ThinkingDelta,
    ThinkingSignature,
    ToolInputDelta,
    ToolUseBlock,
    ToolUseStarted,
    ToolUseStopped,
    Usage,
)

from .problems import Problem

_REASONS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "pause_turn": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "content_filter": "content_filter",
}


class Head(Data):
    """What every object of one answer begins with. `model` is the `provider/model` that answers."""

    id: str
    created: int
    model: str

    def object(self, kind: str, **fields: object) -> Json:
        return {"id": self.id, "object": kind, "created": self.created, "model": self.model, **fields}


def whole(head: Head, said: Completion, route: Route) -> Json:
    """The answer in one piece."""
    message: Json = {"role": "assistant", "content": _text(said) or None, "refusal": said.refusal or None}
    calls = [block for block in said.content if isinstance(block, ToolUseBlock)]
    if calls:
        message["tool_calls"] = [
            _started(block.id, block.name, block.signature, block.arguments or "{}") for block in calls
        ]
    thoughts = [block for block in said.content if isinstance(block, ThinkingBlock)]
    if plain := "".join(block.thinking for block in thoughts):
        message["reasoning_content"] = plain
    if any(block.signature or block.redacted for block in thoughts):
        message["reasoning_details"] = [_detail(block, place) for place, block in enumerate(thoughts)]
    if not message["content"] and not calls and not said.refusal:
        message["content"] = ""
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish_reason(said)}
    return head.object("chat.completion", choices=[choice], usage=usage_of(said, route.usage), kram=receipt(route))


def finish_reason(said: Completion) -> str:
    """OpenAI's word for why the answer ended. A refusal that says so is an answer; one without words was filtered."""
    if said.stop_reason == "refusal":
        return "stop" if said.refusal or _text(said) else "content_filter"
    reason = _REASONS.get(said.stop_reason, "stop")
    if reason == "stop" and any(isinstance(block, ToolUseBlock) for block in said.content):
        return "tool_calls"
    return reason


def usage_of(said: Completion, usage: Usage) -> Json | None:
    """None where the provider reported nothing: figures are never made up."""
    if not said.usage_reported:
        return None
    return {
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.total,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read, "cache_write_tokens": usage.cache_write},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
    }


def receipt(route: Route) -> Json:
    """Who answered after how many attempts, and what it cost in US dollars, null where the price is unknown."""
    return {
        "route": route.id,
        "combo": route.combo,
        "strategy": route.strategy,
        "model": route.winner,
        "attempts": len(route.attempts),
        "cost_usd": route.usage.cost_usd,
    }


class Chunks:
    """Turns events into chunks, in order. `usage_due`: the client asked for a chunk with the usage at the end."""

    def __init__(self, head: Head, *, usage_due: bool) -> None:
        self._head = head
        self._usage_due = usage_due
        self._calls: dict[int, int] = {}
        self._argued: set[int] = set()
        self._thought = ""
        self._signature = ""
        self._details = 0

    def first(self) -> Json:
        """The chunk that only says who speaks."""
        return self._chunk({"role": "assistant", "content": ""})

    def of(self, event: StreamEvent) -> Iterator[Json]:
        """The chunks of one event, often none."""
        if isinstance(event, ThinkingDelta):
            if self._signature:
                yield from self._proof()
            self._thought += event.text
            yield self._chunk({"reasoning_content": event.text})
            return
        if isinstance(event, ThinkingSignature):
            self._signature += event.signature
            return
        yield from self._proof()
        match event:
            case TextDelta():
                yield self._chunk({"content": event.text})
            case RedactedThinking():
                yield self._chunk({"reasoning_details": [self._numbered(ThinkingBlock(redacted=event.data))]})
            case ToolUseStarted():
                number = self._calls[event.index] = len(self._calls)
                call = _started(event.id, event.name, event.signature, "")
                yield self._chunk({"tool_calls": [{"index": number, **call}]})
            case ToolInputDelta() if event.index in self._calls and event.text:
                self._argued.add(event.index)
                yield self._arguments(event.index, event.text)
            case ToolUseStopped() if event.index in self._calls and event.index not in self._argued:
                # A call without arguments is one with none of them; clients parse the text.
                yield self._arguments(event.index, "{}")
            case MessageDelta() if event.refusal:
                yield self._chunk({"refusal": event.refusal})
            case _:
                return

    def last(self, said: Completion, route: Route) -> Iterator[Json]:
        """How it ended, and the usage where it was asked for and reported."""
        yield from self._proof()
        yield self._chunk({}, finish_reason(said), kram=receipt(route))
        usage = usage_of(said, route.usage)
        if self._usage_due and usage is not None:
            yield self._head.object("chat.completion.chunk", choices=[], usage=usage)

    def broken(self, problem: Problem) -> Json:
        """The chunk that ends an answer which failed in the middle. Clients that look for `error` raise it."""
        return {**self._chunk({}, "error"), **problem.body()}

    def _chunk(self, delta: Json, reason: str | None = None, **more: object) -> Json:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        fields: Json = {"usage": None} if self._usage_due else {}
        return self._head.object("chat.completion.chunk", choices=[choice], **fields, **more)

    def _arguments(self, index: int, text: str) -> Json:
        return self._chunk({"tool_calls": [{"index": self._calls[index], "function": {"arguments": text}}]})

    def _proof(self) -> Iterator[Json]:
        """The thinking block that just ended, where the provider signed it."""
        block = ThinkingBlock(thinking=self._thought, signature=self._signature)
        self._thought = self._signature = ""
        if block.signature:
            yield self._chunk({"reasoning_details": [self._numbered(block)]})

    def _numbered(self, block: ThinkingBlock) -> Json:
        self._details += 1
        return _detail(block, self._details - 1)


def _text(said: Completion) -> str:
    return "".join(block.text for block in said.content if isinstance(block, TextBlock))


def _started(call_id: str, name: str, signature: str, arguments: str) -> Json:
    call: Json = {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
    return {**call, "extra_content": {"kram": {"signature": signature}}} if signature else call


def _detail(block: ThinkingBlock, place: int) -> Json:
    if block.redacted:
        return {"type": "reasoning.encrypted", "index": place, "data": block.redacted}
    return {"type": "reasoning.text", "index": place, "text": block.thinking, "signature": block.signature or None}
