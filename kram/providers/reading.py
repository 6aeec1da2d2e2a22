"""Reading an HTTP answer: how long to wait, how much to take, and what it really is.

The body decides what it is (an event stream, a JSON text, a web page), since labels are often wrong. Takes httpx responses
without importing httpx before one exists.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable
from contextlib import aclosing
from typing import Any, TypeVar

from kram.base import Json

from .endpoint import Endpoint
from .error_body import clean, describe, failure, read_complaint
from .errors import Incomplete, ServerFailed, TimedOut
from .sse import EventTooLong, ServerEvent, SseDecoder

T = TypeVar("T")
_PINGS = frozenset({"ping", "keepalive", "keep-alive", "heartbeat"})
_PING_TYPE = re.compile(r'"type"\s*:\s*"(?:ping|keepalive|keep-alive|heartbeat)"')
_SHORT = 120
_BLANK = b"\xef\xbb\xbf \t\r\n"


class WholeBody(ServerEvent):
    """A whole JSON answer to a request that asked for a stream; `data` is its text. Some servers cannot stream."""


class Patience:
    """Seconds of waiting that are left, all reads together; `content` grants a new share. Time a reader takes is not counted."""

    def __init__(self, where: str, first_s: float, idle_s: float | None = None) -> None:
        self._where = where
        self._share_s = self._left_s = first_s
        self._idle_s = idle_s
        self._begun = False

    async def wait(self, awaitable: Awaitable[T]) -> T:
        """Raises `TimedOut` when the share is used up."""
        loop = asyncio.get_running_loop()
        started = loop.time()
        limit = asyncio.timeout(max(0.0, self._left_s))
        try:
            async with limit:
                return await awaitable
        except TimeoutError as error:
            if not limit.expired():
                raise
            what = "The answer stalled: nothing new" if self._begun else "No answer"
            raise TimedOut(f"{what} for {self._share_s:g} s", where=self._where) from error
        finally:
            self._left_s -= loop.time() - started

    def content(self) -> None:
        if self._idle_s is not None:
            self._share_s = self._left_s = self._idle_s
            self._begun = True


async def chunks(response: Any, patience: Patience, target: Endpoint, max_bytes: int) -> AsyncGenerator[bytes, None]:
    """The decoded body piece by piece. Raises `TimedOut`, `Incomplete`, and `ServerFailed` past `max_bytes`."""
    import httpx

    from .http_errors import in_answer

    taken = 0
    pieces = aiter(response.aiter_bytes())
    while True:
        try:
            piece: bytes | None = await patience.wait(anext(pieces, None))
        except httpx.HTTPError as error:
            raise in_answer(error, target) from error
        if piece is None:
            return
        taken += len(piece)
        if taken > max_bytes:
            raise ServerFailed(f"The answer is larger than {max_bytes} bytes", where=target.where)
        yield piece


async def text_of(response: Any, patience: Patience, target: Endpoint, max_bytes: int, *, cut: bool = False) -> str:
    """The whole body as text; with `cut` the first `max_bytes` of it instead of an error."""
    parts: list[bytes] = []
    taken = 0
    async with aclosing(chunks(response, patience, target, max_bytes if not cut else 2**62)) as stream:
        async for piece in stream:
            parts.append(piece)
            taken += len(piece)
            if cut and taken >= max_bytes:
                break
    return b"".join(parts)[:max_bytes].decode("utf-8", "replace")


async def server_events(
    response: Any, patience: Patience, target: Endpoint, max_stream_bytes: int, max_body_bytes: int
) -> AsyncGenerator[ServerEvent, None]:
    """Events as they come; one `WholeBody` where the body is JSON. Raises `ServerFailed` for a page or for no API at all."""
    async with aclosing(chunks(response, patience, target, max_stream_bytes)) as stream:
        head = await _head(stream)
        if head.lstrip(_BLANK).startswith((b"<", b"{", b"[")):
            yield WholeBody(data=_checked(await _rest(head, stream, target, max_body_bytes), target))
            return
        decoder = SseDecoder()
        found = False
        try:
            for event in _fed(decoder, head, patience):
                found = True
                yield event
            async for piece in stream:
                for event in _fed(decoder, piece, patience):
                    found = True
                    yield event
            for event in decoder.close():
                found = True
                yield event
        except EventTooLong as error:
            raise ServerFailed(f"The stream holds {error}", where=target.where) from error
    if not found and (said := _without_comments(head)):
        raise ServerFailed(f"The server is not the API: it says “{clean(said, 120)}”", where=target.where, todo=_CHECK)


def json_object(text: str, target: Endpoint) -> Json:
    """The JSON object in a 200 body. Raises the error it carries, `Incomplete` for nothing, `ServerFailed` for anything else."""
    if not text.strip():
        raise Incomplete("The answer is empty", where=target.where)
    parsed = json.loads(_checked(text, target))
    return parsed if isinstance(parsed, dict) else {"data": parsed}


_CHECK = "Check base_url, and whether a proxy or login page stands in between"


def _checked(text: str, target: Endpoint) -> str:
    """The text, if it is JSON and no error."""
    stripped = text.lstrip("\ufeff \t\r\n")
    if stripped.startswith("<"):
        complaint = describe(stripped)
        raise ServerFailed(f"The server is not the API: {complaint.message}", where=target.where, todo=_CHECK)
    try:
        parsed = json.loads(stripped)
    except (ValueError, RecursionError) as error:
        if stripped.startswith(("{", "[")) and not isinstance(error, RecursionError):
            raise Incomplete("The answer is broken JSON", where=target.where) from error
        raise ServerFailed("The answer is not JSON", where=target.where, todo=_CHECK) from error
    if not isinstance(parsed, dict | list):
        raise ServerFailed("The answer is not a JSON object", where=target.where, todo=_CHECK)
    if (found := read_complaint(parsed)) is not None:
        safe = type(found)(
            message=target.without_secrets(found.message),
            word=found.word,
            status=found.status,
            retry_after_s=found.retry_after_s,
            written=target.without_secrets(found.written),
        )
        raise failure(safe, where=target.where)
    return stripped


async def _head(stream: AsyncIterator[bytes]) -> bytes:
    """The beginning up to the first piece that is not blank."""
    head = b""
    async for piece in stream:
        head += piece
        if head.strip(_BLANK):
            break
    return head


async def _rest(head: bytes, stream: AsyncIterator[bytes], target: Endpoint, max_bytes: int) -> str:
    parts = [head]
    taken = len(head)
    async for piece in stream:
        parts.append(piece)
        taken += len(piece)
        if taken > max_bytes:
            raise ServerFailed(f"The answer is larger than {max_bytes} bytes", where=target.where)
    return b"".join(parts).decode("utf-8", "replace")


def _fed(decoder: SseDecoder, piece: bytes, patience: Patience) -> list[ServerEvent]:
    """The events of a piece. A part of an event is a sign of life too (a slow drip), but no part of a ping or comment."""
    events = decoder.feed(piece)
    if events:
        alive = any(_is_content(event) for event in events)
    else:
        alive = bool(piece.strip()) and not piece.lstrip().startswith(b":") and b"ping" not in piece
    if alive:
        patience.content()
    return events


def _is_content(event: ServerEvent) -> bool:
    if event.event in _PINGS or not event.data.strip():
        return False
    return not (len(event.data) < _SHORT and _PING_TYPE.search(event.data))


def _without_comments(head: bytes) -> str:
    text = head.decode("utf-8", "replace").lstrip("\ufeff")
    return " ".join(
        line for line in text.splitlines() if line.strip() and not line.startswith((":", "event:", "id:", "retry:"))
    )
