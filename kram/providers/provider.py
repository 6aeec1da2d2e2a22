"""The contract every kind of provider keeps.

An adapter is two pure halves and a transport. `request.build(request, model, stream=…)` makes the JSON body;
`stream.Reader` turns server-sent events into normalised events and `stream.read_body` does so for a whole JSON
response. Only `provider` touches the network.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Protocol, runtime_checkable

from kram.base import Json
from kram.config import Model
from kram.messages import CompletionRequest, StreamEvent

from .sse import ServerEvent


class Provider(Protocol):
    """One account at one endpoint. Safe for concurrent calls; whoever opened it closes it.

    `stream` raises `ProviderError` (see `errors`) before or between events, also when the stream ends without
    its terminal event; it never retries. Cancelling the iteration closes the connection. `complete` sends a true
    non-streaming request and yields the same kinds of events. `list_models` may block for seconds and may raise.
    """

    name: str

    def stream(self, request: CompletionRequest, model: Model) -> AsyncIterator[StreamEvent]: ...

    def complete(self, request: CompletionRequest, model: Model) -> AsyncIterator[StreamEvent]: ...

    def body(self, request: CompletionRequest, model: Model) -> Json:
        """The JSON body that `stream` would send, for a person to read. Sends nothing."""
        ...

    async def list_models(self) -> tuple[Model, ...]: ...

    async def aclose(self) -> None: ...


@runtime_checkable
class TokenCounter(Protocol):
    """A provider whose vendor counts a request's tokens on demand. Raises `ProviderError`."""

    async def count_tokens(self, request: CompletionRequest, model: Model) -> int: ...


class StreamReader(Protocol):
    """The pure half that reads. `feed` takes one server-sent event and returns normalised events in order; `close` is
    called at the end of the body. Both raise `ProviderError` for an error inside the stream or a missing terminal event."""

    def feed(self, event: ServerEvent) -> list[StreamEvent]: ...

    def close(self) -> list[StreamEvent]: ...


class BodyReader(Protocol):
    """Reads a whole JSON response into the events a stream would have given."""

    def __call__(self, body: Json) -> list[StreamEvent]: ...
