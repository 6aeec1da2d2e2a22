"""Reads Gemini's responses; a streamed event has the same shape as a whole body, with the new parts only.

The answer has ended once a candidate names its `finishReason`; figures may still follow, so the end is told on close.
Calls may come without an id, and their arguments whole or in pieces.
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
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    ThinkingSignature,
    ToolInputDelta,
    ToolUseStarted,
    ToolUseStopped,
)
from kram.providers.error_body import clean, failure, read_complaint
from kram.providers.errors import Incomplete, PromptBlocked, ServerFailed
from kram.providers.sse import ServerEvent

from .partial import PartialArguments
from .tokens import new_call_id, pack

_STOP_REASONS = {
    "MAX_TOKENS": "max_tokens",
    "SAFETY": "content_filter",
    "RECITATION": "content_filter",
    "BLOCKLIST": "content_filter",
    "PROHIBITED_CONTENT": "content_filter",
    "SPII": "content_filter",
    "IMAGE_SAFETY": "content_filter",
}


class Reader:
    """See `kram.providers.StreamReader`. Raises `PromptBlocked` where the prompt was refused, `ServerFailed` for an event
    that is not JSON, `Incomplete` where no candidate named a finish reason, and the error an event carries."""

    def __init__(self) -> None:
        self._started = False
        self._finish = ""
        self._calls = 0
        self._open: PartialArguments | None = None
        self._figures: dict[str, int] = {}

    def feed(self, event: ServerEvent) -> list[StreamEvent]:
        if event.data.strip() in ("", "[DONE]"):
            return []
        try:
            data = json.loads(event.data)
        except (ValueError, RecursionError) as broken:
            raise ServerFailed("The stream holds an event that is not JSON") from broken
        return self.take(_dict(data))

    def take(self, data: Json) -> list[StreamEvent]:
        """The events of one response object. Only candidate 0 counts."""
        if (complaint := read_complaint(data)) is not None:
            raise failure(complaint)
        self._count(_dict(data.get("usageMetadata")))
        candidates = [one for one in _dicts(data.get("candidates")) if not one.get("index")]
        blocked = _dict(data.get("promptFeedback"))
        if blocked.get("blockReason") and not candidates:
            raise _blocked(blocked)
        events: list[StreamEvent] = []
        if not self._started:
            self._started = True
            events.append(MessageStarted(model=str(data.get("modelVersion") or "")))
        for candidate in candidates:
            for part in _dicts(_dict(candidate.get("content")).get("parts")):
                events += self._part(part)
            self._finish = str(candidate.get("finishReason") or self._finish)
        return events

    def close(self) -> list[StreamEvent]:
        if not self._finish:
            raise Incomplete("The stream ended without a finish reason")
        # A call whose pieces were still to come stays open: it is reported as unfinished and never run.
        return [self._summary(), MessageStopped()]

    # --- parts ------------------------------------------------------------------------------------------------------

    def _part(self, part: Json) -> list[StreamEvent]:
        signature = str(part.get("thoughtSignature") or "")
        if isinstance(part.get("functionCall"), dict):
            return self._call(part["functionCall"], pack(signature) if signature else "")
        text = part.get("text")
        text = text if isinstance(text, str) else ""
        if part.get("thought"):
            events: list[StreamEvent] = [ThinkingDelta(text=text)] if text else []
            return events + ([ThinkingSignature(signature=pack(signature))] if signature else [])
        # A signature of a text part stands in front of it, as a thinking block of its own.
        signed: list[StreamEvent] = [BlockStopped(), ThinkingSignature(signature=pack(signature))] if signature else []
        return signed + ([TextDelta(text=text)] if text else [])

    def _call(self, call: Json, signature: str) -> list[StreamEvent]:
        events: list[StreamEvent] = []
        if call.get("name"):
            events += self._end_call()
            self._open = PartialArguments(_dict(call.get("args")))
            call_id = str(call.get("id") or new_call_id())
            events.append(ToolUseStarted(index=self._calls, id=call_id, name=str(call["name"]), signature=signature))
        if self._open is not None:
            self._open.add(call.get("partialArgs"))
        return events if call.get("willContinue") else events + self._end_call()

    def _end_call(self) -> list[StreamEvent]:
        if self._open is None:
            return []
        arguments, index = self._open.value, self._calls
        self._open = None
        self._calls += 1
        text = json.dumps(arguments, ensure_ascii=False) if arguments else ""
        written: list[StreamEvent] = [ToolInputDelta(index=index, text=text)] if text else []
        return [*written, ToolUseStopped(index=index)]

    # --- the end ----------------------------------------------------------------------------------------------------

    def _count(self, usage: Json) -> None:
        for field in ("promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount", "cachedContentTokenCount"):
            figure = usage.get(field)
            if isinstance(figure, int) and figure >= 0:
                self._figures[field] = figure

    def _summary(self) -> MessageDelta:
        figures = self._figures
        written, thought = figures.get("candidatesTokenCount"), figures.get("thoughtsTokenCount")
        return MessageDelta(
            stop_reason=self._stop_reason(),
            finish_reason=self._finish,
            input=figures.get("promptTokenCount"),
            output=None if written is None and thought is None else (written or 0) + (thought or 0),
            cache_read=figures.get("cachedContentTokenCount"),
            reasoning=thought,
        )

    def _stop_reason(self) -> str:
        if self._finish == "STOP":
            return "tool_use" if self._calls else "end_turn"
        return _STOP_REASONS.get(self._finish, self._finish)


def read_body(body: Json) -> list[StreamEvent]:
    """The events of a whole response. Raises as `Reader` does."""
    reader = Reader()
    return [*reader.take(body), *reader.close()]


def _blocked(feedback: Json) -> PromptBlocked:
    message = clean(str(feedback.get("blockReasonMessage") or ""))
    reason = clean(str(feedback["blockReason"]), 80)
    return PromptBlocked(f"The provider blocked the prompt ({reason}){f': {message}' if message else ''}")


def _dict(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


def _dicts(value: Any) -> list[Json]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
