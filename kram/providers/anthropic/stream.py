"""Reads the Messages API: its stream of content blocks, and its whole JSON body.

Blocks are opened, filled by deltas and closed, each with an index. Blocks that ran at the provider (server tools and their
results) and kinds nobody knows yet are passed over. Usage figures are running totals: the last one of each field counts,
and the prompt's total is the sum of its uncached, cache-read and cache-written parts.
"""

from __future__ import annotations

import json
from typing import Any

from kram.base import Json
from kram.messages import (
    BlockStopped,
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
from kram.providers.call_ids import made_id
from kram.providers.error_body import Complaint, failure, read_complaint
from kram.providers.errors import Incomplete, ProviderError, ServerFailed
from kram.providers.sse import ServerEvent

_SPOKEN = ("text", "thinking")


class _Open:
    """A content block that is being written. `call` is the normalised index of a tool call, -1 for other kinds."""

    def __init__(self, kind: str, call: int = -1, given: Any = None) -> None:
        self.kind = kind
        self.call = call
        self.given = given
        self.filled = False


class Reader:
    """See `kram.providers.StreamReader`. Raises `ProviderError` for an error event, `ServerFailed` for an event that is not
    JSON, `Incomplete` where `message_stop` is missing."""

    def __init__(self) -> None:
        self._open: dict[int, _Open] = {}
        self._last = 0
        self._calls = 0
        self._ids: set[str] = set()
        self._started = False
        self._ended = False
        self._usage: dict[str, int] = {}
        self._stop: Json = {}

    def feed(self, event: ServerEvent) -> list[StreamEvent]:
        if self._ended or not event.data.strip() or event.event == "ping":
            return []
        data = _parse(event.data)
        kind = str(data.get("type") or event.event)
        match kind:
            case "message_start":
                return self._start(_dict(data.get("message")))
            case "content_block_start":
                return self.open(_index(data, self._last), _dict(data.get("content_block")))
            case "content_block_delta":
                return self._delta(self._open.get(_index(data, self._last)), _dict(data.get("delta")))
            case "content_block_stop":
                return self.stop(_index(data, self._last))
            case "message_delta":
                self._note_usage(_dict(data.get("usage")))
                self._stop |= {key: value for key, value in _dict(data.get("delta")).items() if value is not None}
                return []
            case "message_stop":
                return self.finish()
            case "error":
                raise _failure(data)
            case _ if data.get("error"):
                raise _failure(data)
        return []

    def close(self) -> list[StreamEvent]:
        if not self._ended:
            raise Incomplete("The stream ended before the message was complete")
        return []

    def _start(self, message: Json) -> list[StreamEvent]:
        """Some gateways send it twice. Its output figure is a placeholder and does not count."""
        self._note_usage(_dict(message.get("usage")) | {"output_tokens": None})
        if self._started:
            return []
        self._started = True
        return [MessageStarted(model=str(message.get("model") or ""))]

    # --- blocks -----------------------------------------------------------------------------------------------------

    def open(self, index: int, block: Json) -> list[StreamEvent]:
        """A block begins; some servers send it whole right here."""
        kind = str(block.get("type") or "")
        self._last = index
        opened = self._open[index] = _Open(kind)
        match kind:
            case "text":
                return self._said(TextDelta, block.get("text"))
            case "thinking":
                return self._said(ThinkingDelta, block.get("thinking")) + _signature(block.get("signature"))
            case "redacted_thinking":
                data = block.get("data")
                return [RedactedThinking(data=data)] if isinstance(data, str) and data else []
            case "tool_use":
                opened.call, opened.given = self._calls, block.get("input")
                self._calls += 1
                started = ToolUseStarted(
                    index=opened.call, id=self._id(block.get("id")), name=str(block.get("name") or "")
                )
                return [started]
        return []

    def _said(self, kind: type[TextDelta] | type[ThinkingDelta], text: Any) -> list[StreamEvent]:
        return [kind(text=text)] if isinstance(text, str) and text else []

    def _id(self, given: Any) -> str:
        """The call's id, or a made one where it is missing or was used already."""
        call_id = given if isinstance(given, str) and given and given not in self._ids else made_id()
        self._ids.add(call_id)
        return call_id

    def _delta(self, opened: _Open | None, delta: Json) -> list[StreamEvent]:
        match delta.get("type"):
            case "text_delta" if opened is None or opened.kind == "text":
                return self._said(TextDelta, delta.get("text"))
            case "thinking_delta" if opened is None or opened.kind == "thinking":
                return self._said(ThinkingDelta, delta.get("thinking"))
            case "signature_delta" if opened is None or opened.kind == "thinking":
                return _signature(delta.get("signature"))
            case "input_json_delta" if opened is not None and opened.call >= 0:
                text = delta.get("partial_json")
                if isinstance(text, str) and text:
                    opened.filled = True
                    return [ToolInputDelta(index=opened.call, text=text)]
        return []

    def stop(self, index: int) -> list[StreamEvent]:
        """A block is complete. A call whose arguments came with its start gets them here."""
        opened = self._open.pop(index, None)
        if opened is None:
            return []
        if opened.call < 0:
            return [BlockStopped()] if opened.kind in _SPOKEN else []
        stopped = ToolUseStopped(index=opened.call)
        if opened.filled or not opened.given:
            return [stopped]
        text = opened.given if isinstance(opened.given, str) else json.dumps(opened.given, ensure_ascii=False)
        return [ToolInputDelta(index=opened.call, text=text), stopped]

    # --- the end ----------------------------------------------------------------------------------------------------

    def finish(self, message: Json | None = None) -> list[StreamEvent]:
        """Stop reason and usage, of a whole `message` or of what the stream told."""
        if message is not None:
            self._note_usage(_dict(message.get("usage")))
            self._stop = message
        self._ended = True
        reason = self._stop.get("stop_reason")
        word = reason if isinstance(reason, str) else ""
        details = _dict(self._stop.get("stop_details"))
        figures = self._usage
        parts = [figures[key] for key in ("input_tokens", *_CACHED) if key in figures]
        delta = MessageDelta(
            stop_reason=word or "end_turn",
            finish_reason=word,
            input=sum(parts) if "input_tokens" in figures else None,
            output=figures.get("output_tokens"),
            cache_read=figures.get("cache_read_input_tokens"),
            cache_write=figures.get("cache_creation_input_tokens"),
            reasoning=figures.get("thinking_tokens"),
            refusal=str(details.get("explanation") or "") if word == "refusal" else "",
        )
        return [delta, MessageStopped()]

    def _note_usage(self, usage: Json) -> None:
        for key in ("input_tokens", "output_tokens", *_CACHED):
            self._note(key, usage.get(key))
        self._note("thinking_tokens", _dict(usage.get("output_tokens_details")).get("thinking_tokens"))

    def _note(self, key: str, value: Any) -> None:
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            self._usage[key] = value


_CACHED = ("cache_read_input_tokens", "cache_creation_input_tokens")


def read_body(body: Json) -> list[StreamEvent]:
    """The events of a whole message. Raises `ProviderError` where the body is an error, or no message at all."""
    if body.get("type") == "error" or body.get("error"):
        raise _failure(body)
    content = body.get("content")
    if not isinstance(content, list):
        raise ServerFailed("The answer is no message of this API")
    reader = Reader()
    events: list[StreamEvent] = [MessageStarted(model=str(body.get("model") or ""))]
    cut = body.get("stop_reason") == "max_tokens"
    for index, block in enumerate(content):
        events += reader.open(index, _dict(block))
        # A call at the very end of an answer that ran out of room may be cut; whole bodies do not say so.
        if not (cut and index == len(content) - 1 and _dict(block).get("type") == "tool_use"):
            events += reader.stop(index)
    return events + reader.finish(body)


def _failure(data: Json) -> ProviderError:
    return failure(read_complaint(data) or Complaint(message=str(data.get("message") or "")))


def _signature(value: Any) -> list[StreamEvent]:
    return [ThinkingSignature(signature=value)] if isinstance(value, str) and value else []


def _index(data: Json, fallback: int) -> int:
    index = data.get("index")
    return index if isinstance(index, int) else fallback


def _parse(text: str) -> Json:
    try:
        return _dict(json.loads(text))
    except (ValueError, RecursionError) as broken:
        raise ServerFailed("The stream holds an event that is not JSON") from broken


def _dict(value: Any) -> Json:
    return value if isinstance(value, dict) else {}
