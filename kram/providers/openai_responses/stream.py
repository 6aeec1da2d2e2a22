"""Reads the Responses API: its stream of typed events, and its whole JSON body.

Each output item is opened, filled by deltas and closed. Servers differ in what they leave away: some send no argument
deltas, some no `event:` line, some only the finished response. So every item is compared with its final form when it
closes, and what the deltas did not bring is added then.
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
    ToolInputDelta,
    ToolUseStarted,
    ToolUseStopped,
)
from kram.providers import error_body
from kram.providers.call_ids import made_id
from kram.providers.error_body import Complaint, read_complaint
from kram.providers.errors import Incomplete, InvalidRequest, ProviderError, ServerFailed
from kram.providers.sse import ServerEvent

from .tokens import ReasoningToken, pack

_CALLS = {"function_call": "arguments", "custom_tool_call": "input"}
_ENDS = ("response.completed", "response.incomplete", "response.done")


class _Item:
    """An output item that is being written: what of it was passed on so far."""

    def __init__(self, kind: str, index: int = 0) -> None:
        self.kind = kind
        self.index = index
        self.pieces: list[str] = []
        self.summary_parts = 0
        self.closed = False


class Reader:
    """See `kram.providers.StreamReader`. Raises `ProviderError` for an error event, `ServerFailed` for an event that is
    not JSON, `Incomplete` where the terminal event is missing."""

    def __init__(self) -> None:
        self._items: dict[str, _Item] = {}
        self._calls = 0
        self._refusal = ""
        self._ended = False

    def feed(self, event: ServerEvent) -> list[StreamEvent]:
        if self._ended or event.data.strip() in ("", "[DONE]"):
            return []
        data = _parse(event.data)
        kind = str(data.get("type") or event.event)
        if kind in ("error", "response.failed") or (kind == "message" and data.get("error")):
            raise failure(data)
        if kind == "response.created":
            return [MessageStarted(model=str(_dict(data.get("response")).get("model") or ""))]
        if kind in _ENDS:
            return self.finish(_dict(data.get("response")))
        if kind in ("response.output_item.added", "response.output_item.done"):
            item = _dict(data.get("item"))
            key = _key(data, item)
            return self._open(key, item)[1] if kind.endswith("added") else self._close(key, item)
        return self._delta(kind, data)

    def close(self) -> list[StreamEvent]:
        if not self._ended:
            raise Incomplete("The stream ended before the response was complete")
        return []

    # --- items ------------------------------------------------------------------------------------------------------

    def _open(self, key: str, item: Json) -> tuple[_Item, list[StreamEvent]]:
        kind = str(item.get("type") or "")
        opened = self._items[key] = _Item(kind, self._calls)
        if kind not in _CALLS:
            return opened, []
        self._calls += 1
        call_id = str(item.get("call_id") or item.get("id") or made_id())
        return opened, [ToolUseStarted(index=opened.index, id=call_id, name=str(item.get("name") or ""))]

    def _delta(self, kind: str, data: Json) -> list[StreamEvent]:
        item = self._items.get(_key(data, {}))
        text = data.get("delta")
        match kind.removeprefix("response."):
            case "output_text.delta" if isinstance(text, str):
                return [TextDelta(text=self._say(item, text))]
            case "reasoning_summary_text.delta" | "reasoning_text.delta" if isinstance(text, str):
                return [ThinkingDelta(text=self._say(item, text))]
            case "reasoning_summary_part.added" if item is not None:
                item.summary_parts += 1
                return [BlockStopped()] if item.summary_parts > 1 else []
            case "refusal.delta" if isinstance(text, str):
                self._refusal += text
            case "function_call_arguments.delta" | "custom_tool_call_input.delta" if item is not None:
                if isinstance(text, str):
                    return [ToolInputDelta(index=item.index, text=self._say(item, text))]
            case "function_call_arguments.done" | "custom_tool_call_input.done" if item is not None:
                return _rest_of_call(item, data.get("arguments") or data.get("input"))
        return []

    def _say(self, item: _Item | None, text: str) -> str:
        if item is not None:
            item.pieces.append(text)
        return text

    def _close(self, key: str, item: Json) -> list[StreamEvent]:
        """What the deltas did not bring, and the end of the item."""
        events: list[StreamEvent] = []
        opened = self._items.get(key)
        if opened is None:
            opened, events = self._open(key, item)
        if opened.closed:
            return []
        opened.closed = True
        if opened.kind in _CALLS:
            events += _rest_of_call(opened, item.get(_CALLS[opened.kind]))
            cut = item.get("status") in ("incomplete", "in_progress")
            opened.closed = not cut
            return events if cut else [*events, ToolUseStopped(index=opened.index)]
        if opened.kind == "reasoning":
            return events + _reasoning(opened, item)
        if opened.kind == "message":
            if not opened.pieces:
                text = _texts(item.get("content"), "output_text")
                events += [TextDelta(text=text)] if text else []
            self._refusal = self._refusal or _texts(item.get("content"), "refusal", "refusal")
            return [*events, BlockStopped()]
        return []

    # --- the end ----------------------------------------------------------------------------------------------------

    def finish(self, response: Json) -> list[StreamEvent]:
        """The end of an answer: items that were never streamed, then stop reason and usage."""
        status = str(response.get("status") or "completed")
        if status == "failed":
            raise failure(response)
        self._ended = True
        events: list[StreamEvent] = []
        if not self._items:
            for number, item in enumerate(_dicts(response.get("output"))):
                events += self._close(str(number), item)
        return [*events, self._summary(response, status), MessageStopped()]

    def _summary(self, response: Json, status: str) -> MessageDelta:
        usage = _dict(response.get("usage"))
        read = _dict(usage.get("input_tokens_details"))
        written = _dict(usage.get("output_tokens_details"))
        return MessageDelta(
            stop_reason=self._stop_reason(str(_dict(response.get("incomplete_details")).get("reason") or ""), status),
            finish_reason=status,
            input=_count(usage.get("input_tokens")),
            output=_count(usage.get("output_tokens")),
            cache_read=_count(read.get("cached_tokens")),
            cache_write=_count(read.get("cache_write_tokens")),
            reasoning=_count(written.get("reasoning_tokens")),
            refusal=self._refusal,
        )

    def _stop_reason(self, reason: str, status: str) -> str:
        calls = [item for item in self._items.values() if item.kind in _CALLS]
        if calls and all(call.closed for call in calls):
            return "tool_use"
        if reason == "max_output_tokens":
            return "max_tokens"
        if reason:
            return reason
        if self._refusal:
            return "refusal"
        return "end_turn" if status == "completed" else status


def read_body(body: Json) -> list[StreamEvent]:
    """The events of a whole response. Raises `ProviderError` where the body is, or carries, an error."""
    if body.get("error") or "output" not in body:
        raise failure(body)
    reader = Reader()
    return [MessageStarted(model=str(body.get("model") or "")), *reader.finish(body)]


def failure(data: Json) -> ProviderError:
    """The error in an error event, a failed response or an error body, wherever the server put its message."""
    error = _dict(data.get("error")) or _dict(_dict(data.get("response")).get("error"))
    plain = {key: data[key] for key in ("message", "code") if data.get(key)}
    complaint = read_complaint(data if isinstance(data.get("error"), str) else {"error": error or plain}) or Complaint(
        message=""
    )
    found = error_body.failure(complaint)
    if isinstance(found, ServerFailed) and complaint.word.startswith(("invalid_", "unsupported_", "image_")):
        return InvalidRequest(complaint.text)
    return found


def _rest_of_call(item: _Item, final: Any) -> list[StreamEvent]:
    said = "".join(item.pieces)
    if not isinstance(final, str) or not final.startswith(said) or len(final) == len(said):
        return []
    rest = final[len(said) :]
    item.pieces = [final]
    return [ToolInputDelta(index=item.index, text=rest)]


def _reasoning(opened: _Item, item: Json) -> list[StreamEvent]:
    events: list[StreamEvent] = []
    if not opened.pieces:
        parts = [part for field in ("summary", "content") for part in _dicts(item.get(field))]
        for text in (part["text"] for part in parts if isinstance(part.get("text"), str) and part["text"]):
            events += [BlockStopped(), ThinkingDelta(text=text)] if events else [ThinkingDelta(text=text)]
    encrypted = item.get("encrypted_content")
    if isinstance(encrypted, str) and encrypted:
        token = ReasoningToken(id=str(item.get("id") or ""), encrypted=encrypted)
        return [*events, RedactedThinking(data=pack(token))]
    return [*events, BlockStopped()]


def _key(data: Json, item: Json) -> str:
    """What names an item in all its events: its place in the output, or its id where a server leaves the place away."""
    place = data.get("output_index")
    return str(place if place is not None else data.get("item_id") or item.get("id") or "")


def _texts(parts: Any, kind: str, field: str = "text") -> str:
    return "".join(str(part.get(field) or "") for part in _dicts(parts) if part.get("type") == kind)


def _parse(text: str) -> Json:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as broken:
        raise ServerFailed("The stream holds an event that is not JSON") from broken
    return _dict(data)


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and value >= 0 else None


def _dict(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


def _dicts(value: Any) -> list[Json]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
