"""What a provider says when it refuses, wherever it put it: error objects of every dialect, plain text, a web page.

Also turns an error object that came without an HTTP status (inside a 200 stream or body) into one of our errors. All
text is foreign: one line, cut, without control or invisible characters.
"""

from __future__ import annotations

import json
import re
from typing import Any

from kram.base import Data, JsonView

from .errors import ProviderError, from_status, from_text
from .retry_after import from_body

MAX_MESSAGE_CHARS = 600
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)

_STATUS_OF_WORD = {
    "invalid_request_error": 400,
    "invalid_request": 400,
    "tool_use_failed": 400,
    "authentication_error": 401,
    "invalid_api_key": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "model_not_found": 404,
    "timeout_error": 408,
    "request_too_large": 413,
    "context_length_exceeded": 413,
    "exceed_context_size_error": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "insufficient_quota": 429,
    "api_error": 500,
    "server_error": 500,
    "internal_server_error": 500,
    "overloaded_error": 529,
}
"""Words that vendors use instead of a status inside a stream (Anthropic's error types, OpenAI's codes)."""


class Complaint(Data):
    """A provider's error. `status` is the HTTP-like code it named itself; `written` what the model wrote that was refused."""

    message: str
    word: str = ""
    status: int | None = None
    retry_after_s: float | None = None
    written: str = ""

    @property
    def text(self) -> str:
        """One line with everything a reader can use."""
        line = self.message or "The provider reported an error without a message"
        if self.word and self.word not in line:
            line = f"{line} ({self.word})"
        return f"{line}. The model wrote: {self.written}" if self.written else line


def clean(text: str, limit: int = MAX_MESSAGE_CHARS) -> str:
    """One printable line of at most `limit` characters."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text[: limit * 8]).split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def read_complaint(body: Any) -> Complaint | None:
    """The error inside a decoded JSON body or stream event, None where it holds none."""
    if isinstance(body, list):
        return next((found for item in body if (found := read_complaint(item)) is not None), None)
    if not isinstance(body, dict):
        return None
    error = body.get("error")
    if isinstance(error, str) and error:
        return Complaint(message=clean(_join(error, body.get("message"))), retry_after_s=from_body(body))
    if isinstance(error, dict) and error:
        return _from_object(error, body)
    return None


def describe(text: str) -> Complaint:
    """The body of a response that is not 200, whatever it is."""
    stripped = text.strip()
    if stripped.startswith(("{", "[")):
        try:
            body = json.loads(stripped)
        except (ValueError, RecursionError):
            return Complaint(message=clean(stripped))
        return read_complaint(body) or _bare(body) or Complaint(message=clean(stripped))
    if stripped.startswith("<"):
        title = _TITLE.search(stripped[:20_000])
        return Complaint(message=f"a web page instead of an answer{f': {clean(title[1], 120)}' if title else ''}")
    return Complaint(message=clean(stripped))


def failure(complaint: Complaint, *, where: str = "") -> ProviderError:
    """The error of a complaint that has no HTTP status of its own: by the status it names, by its word, else by its text."""
    status = complaint.status or _STATUS_OF_WORD.get(complaint.word)
    if status is None:
        return from_text(complaint.text, where=where, retry_after_s=complaint.retry_after_s)
    like = from_status(status, complaint.text)
    return type(like)(complaint.text, where=where, todo=like.todo, retry_after_s=complaint.retry_after_s)


def _from_object(error: JsonView, body: JsonView) -> Complaint:
    message = str(error.get("message") or error.get("detail") or "")
    metadata = error.get("metadata")
    if isinstance(metadata, dict) and isinstance(metadata.get("raw"), str):
        message = _join(message, metadata["raw"])
    written = error.get("failed_generation") or body.get("failed_generation")
    words = [str(error[key]) for key in ("code", "type", "status") if isinstance(error.get(key), str) and error[key]]
    known = [word for word in words if word.lower() in _STATUS_OF_WORD]
    named = next((n for n in (_status(error.get(k)) for k in ("code", "status", "http_code")) if n is not None), None)
    return Complaint(
        message=clean(message),
        word=clean((known or words or [""])[0], 80),
        status=named,
        retry_after_s=from_body(body),
        written=clean(written, 300) if isinstance(written, str) else "",
    )


def _bare(body: Any) -> Complaint | None:
    """Bodies without an `error` object: `message` (vLLM, Mistral), `detail` (FastAPI), `errors`."""
    if not isinstance(body, dict):
        return None
    detail = body.get("message") or body.get("detail") or body.get("errors") or body.get("title")
    if not detail:
        return None
    text = detail if isinstance(detail, str) else json.dumps(detail, ensure_ascii=False)
    return Complaint(message=clean(text), retry_after_s=from_body(body))


def _status(value: Any) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 400 <= value <= 599 else None


def _join(first: str, second: Any) -> str:
    return f"{first}: {second}" if isinstance(second, str) and second and second not in first else first
