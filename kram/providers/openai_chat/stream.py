"""Reads Chat Completions: the stream of chunks and the whole JSON body, from OpenAI and from everybody who copied it.

Only the first choice counts. Reasoning is taken from whichever field a server uses. The answer is complete when a finish
reason or `[DONE]` was seen; usage may come with, after or beside the last choice, as running totals.
"""

from __future__ import annotations

import json
from typing import Any

from kram.base import Json
from kram.messages import (
    MessageDelta,
    MessageStarted,
    MessageStopped,
    RedactedThinking,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    ThinkingSignature,
)
from kram.providers.error_body import Complaint, failure, read_complaint
from kram.providers.errors import Incomplete, ProviderError, ServerFailed
from kram.providers.sse import ServerEvent

from .calls import Calls
from .tokens import pack
from .usage import Figures

_REASONING = ("reasoning_content", "reasoning", "reasoning_text")
_STOP_REASONS = {"tool_calls": "tool_use", "function_call": "tool_use", "stop": "end_turn", "length": "max_tokens"}
_CUT = frozenset({"length", "max_tokens", "content_filter"})
_BROKEN = frozenset({"error", "insufficient_system_resource", "network_error"})


class Reader:
    """See `kram.providers.StreamReader`. Raises `ProviderError` for an error inside the stream, `ServerFailed` for an event
    that is not JSON, `Incomplete` where both finish reason and `[DONE]` are missing."""

    def __init__(self) -> None:
        self._calls = Calls()
        self._usage = Figures()
        self._started = False
        self._finish = ""
        self._done = False
        self._ended = False
        self._refusal = ""

    def feed(self, event: ServerEvent) -> list[StreamEvent]:
        text = event.data.strip()
        if self._ended or not text or event.event == "ping":
            return []
        if text == "[DONE]":
            self._done = True
            return self._end()
        data = _parse(text)
        if (error := _error(data, event.event)) is not None:
            raise error
        self._usage.note(data.get("usage"))
        self._usage.note(_dict(data.get("x_groq")).get("usage"))
        events = self._start(data)
        choice = first_choice(data)
        if choice is not None:
            self._usage.note(choice.get("usage"))
            events += self.said(_dict(choice.get("delta")) or _dict(choice.get("message")))
            self.note_finish(choice.get("finish_reason"))
        return events

    def close(self) -> list[StreamEvent]:
        if self._ended:
            return []
        if not (self._finish or self._done):
            raise Incomplete("The stream ended without a finish reason")
        return self._end()

    def _start(self, data: Json) -> list[StreamEvent]:
        model = data.get("model")
        if self._started or not isinstance(model, str) or not (model or data.get("choices")):
            return []
        self._started = True
        return [MessageStarted(model=model)]

    def said(self, delta: Json) -> list[StreamEvent]:
        """What one delta, or a whole message, adds: reasoning, text, calls."""
        events = self._reasoned(delta)
        content = delta.get("content")
        for part in content if isinstance(content, list) else [content]:
            events += _part(part)
        refusal = delta.get("refusal")
        self._refusal += refusal if isinstance(refusal, str) else ""
        legacy = delta.get("function_call")
        fragments = delta.get("tool_calls") or ([{"index": 0, "function": legacy}] if isinstance(legacy, dict) else [])
        return events + self._calls.add(fragments)

    def _reasoned(self, delta: Json) -> list[StreamEvent]:
        """The first field that is filled; details add signatures and ciphertexts, and text where no field has it."""
        text = next((value for key in _REASONING if isinstance(value := delta.get(key), str) and value), "")
        events: list[StreamEvent] = [ThinkingDelta(text=text)] if text else []
        details = delta.get("reasoning_details")
        for detail in details if isinstance(details, list) else ():
            if isinstance(detail, dict):
                events += _detail(detail, with_text=not text)
        return events

    def note_finish(self, reason: Any) -> None:
        """The finish reason, which some servers repeat as null afterwards."""
        if isinstance(reason, str) and reason:
            if reason in _BROKEN:
                raise ServerFailed(f"The provider broke the answer off ({reason})")
            self._finish = reason

    def finish_body(self, usage: Any) -> list[StreamEvent]:
        """The end of a whole body, which needs no terminal mark."""
        self._usage.note(usage)
        self._done = True
        return self._end()

    def _end(self) -> list[StreamEvent]:
        self._ended = True
        events = self._calls.finish(cut=self._finish in _CUT)
        read = self._usage
        delta = MessageDelta(
            stop_reason=self._stop_reason(complete_calls=bool(events)),
            finish_reason=self._finish,
            input=read.input,
            output=read.output,
            cache_read=read.cache_read,
            cache_write=read.cache_write,
            reasoning=read.reasoning,
            refusal=self._refusal,
        )
        return [*events, delta, MessageStopped()]

    def _stop_reason(self, *, complete_calls: bool) -> str:
        """Several servers say "stop", or nothing, after calls."""
        if complete_calls and self._finish in ("", "stop"):
            return "tool_use"
        if self._refusal and self._finish in ("", "stop"):
            return "refusal"
        return _STOP_REASONS.get(self._finish, self._finish or "end_turn")


def read_body(body: Json) -> list[StreamEvent]:
    """The events of a whole response. Raises `ProviderError` where the body carries an error, or no choice."""
    if (error := _error(body, "message")) is not None:
        raise error
    choice = first_choice(body)
    if choice is None:
        if body.get("choices") == []:
            raise Incomplete("The answer holds no choice")
        raise ServerFailed(f"The answer holds no choice: {json.dumps(body, ensure_ascii=False)[:500]}")
    reader = Reader()
    events: list[StreamEvent] = [MessageStarted(model=str(body.get("model") or ""))]
    events += reader.said(_dict(choice.get("message")))
    reader.note_finish(choice.get("finish_reason"))
    return events + reader.finish_body(body.get("usage") or choice.get("usage"))


def first_choice(data: Json) -> Json | None:
    """The choice with index 0, or without one; None where this chunk is about others or about none."""
    choices = data.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, dict) and choice.get("index") in (0, None):
            return choice
    return None


def _part(part: Any) -> list[StreamEvent]:
    """A piece of content: text, or a typed part (Mistral). Parts of other kinds (references, images) are passed over."""
    if isinstance(part, str):
        return [TextDelta(text=part)] if part else []
    if not isinstance(part, dict):
        return []
    if part.get("type") == "thinking":
        inner = part.get("thinking")
        pieces = [inner] if isinstance(inner, str) else [_dict(item).get("text") for item in inner or ()]
        return [ThinkingDelta(text=piece) for piece in pieces if isinstance(piece, str) and piece]
    text = part.get("text")
    return [TextDelta(text=text)] if isinstance(text, str) and text else []


def _detail(detail: Json, *, with_text: bool) -> list[StreamEvent]:
    """One entry of `reasoning_details` (OpenRouter): text, summary, signature or ciphertext."""
    events: list[StreamEvent] = []
    text = detail.get("text") or detail.get("summary")
    if with_text and isinstance(text, str) and text:
        events.append(ThinkingDelta(text=text))
    if isinstance(detail.get("signature"), str) and detail["signature"]:
        kept = {key: value for key, value in detail.items() if key != "text"}
        events.append(ThinkingSignature(signature=pack(kept)))
    if isinstance(detail.get("data"), str) and detail["data"]:
        events.append(RedactedThinking(data=pack(detail)))
    return events


def _error(data: Json, event: str) -> ProviderError | None:
    found = read_complaint(data)
    if found is None and (event == "error" or data.get("object") == "error"):
        found = Complaint(message=str(data.get("message") or ""))
    return None if found is None else failure(found)


def _parse(text: str) -> Json:
    try:
        return _dict(json.loads(text))
    except (ValueError, RecursionError) as broken:
        raise ServerFailed("The stream holds an event that is not JSON") from broken


def _dict(value: Any) -> Json:
    return value if isinstance(value, dict) else {}
