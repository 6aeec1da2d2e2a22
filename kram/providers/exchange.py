"""One streamed call: a transport, a reader and what to do when they disagree about the end. Shared by all adapters.

A connection that breaks after the terminal event does no harm; a whole JSON answer to a streamed request is read by the
body reader; a server that leaves the connection open after its last word is not waited for.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing

from kram.base import Json
from kram.messages import MessageStopped, StreamEvent

from .errors import Incomplete, NetworkFailed, ProviderError, TimedOut
from .provider import BodyReader, StreamReader
from .sse import ServerEvent
from .transport import Transport, WholeBody

_DRAIN_S = 0.2
"""After the terminal event the rest of the body is taken for this long, so that the connection can be used again."""


async def streamed(
    transport: Transport,
    path: str,
    body: Json,
    headers: Mapping[str, str],
    *,
    reader: StreamReader,
    read_body: BodyReader,
    patient: bool = False,
) -> AsyncGenerator[StreamEvent, None]:
    """The normalised events of one call. Raises `ProviderError`, `Incomplete` where the terminal event is missing."""
    try:
        async with aclosing(transport.stream_events(path, body, headers, patient=patient)) as received:
            broken: ProviderError | None = None
            while True:
                try:
                    event = await anext(received, None)
                except (Incomplete, NetworkFailed, TimedOut) as error:
                    broken = error
                    break
                if event is None:
                    break
                if isinstance(event, WholeBody):
                    for found in _whole(event, reader, read_body):
                        yield found
                    return
                ended = False
                for found in reader.feed(event):
                    ended = ended or isinstance(found, MessageStopped)
                    yield found
                if ended:
                    await _drain(received)
                    break
            for found in _closed(reader, broken):
                yield found
    except ProviderError as error:
        raise _placed(error, transport) from error.__cause__


async def buffered(
    transport: Transport, path: str, body: Json, headers: Mapping[str, str], read_body: BodyReader
) -> AsyncGenerator[StreamEvent, None]:
    """The events of one call that is not streamed."""
    try:
        for found in read_body(await transport.post_json(path, body, headers)):
            yield found
    except ProviderError as error:
        raise _placed(error, transport) from error.__cause__


def _whole(event: WholeBody, reader: StreamReader, read_body: BodyReader) -> list[StreamEvent]:
    """A list is a stream that was sent as one JSON text (Gemini without `alt=sse`)."""
    parsed = json.loads(event.data)
    if isinstance(parsed, dict):
        return read_body(parsed)
    events: list[StreamEvent] = []
    for item in parsed:
        events += reader.feed(ServerEvent(data=json.dumps(item)))
    return events + reader.close()


def _closed(reader: StreamReader, broken: ProviderError | None) -> list[StreamEvent]:
    """The reader's last events. Where it misses its end, the broken connection is the better reason."""
    try:
        return reader.close()
    except ProviderError:
        if broken is not None:
            raise broken from broken.__cause__
        raise


async def _drain(received: AsyncIterator[ServerEvent]) -> None:
    try:
        async with asyncio.timeout(_DRAIN_S):
            async for _ in received:
                pass
    except (TimeoutError, ProviderError):
        return


def _placed(error: ProviderError, transport: Transport) -> ProviderError:
    """The error with its place and without secrets."""
    error.what = transport.target.without_secrets(error.what)
    error.where = error.where or transport.target.where
    error.args = (error.text(),)
    return error
