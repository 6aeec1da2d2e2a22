"""The Responses API over HTTP: joins the two pure halves with the transport."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing

from kram.base import Json
from kram.config import Model
from kram.config import Provider as ProviderConfig
from kram.messages import CompletionRequest, StreamEvent
from kram.providers.exchange import buffered, streamed
from kram.providers.transport import Transport

from .request import build
from .stream import Reader, read_body

_PATH = "/responses"


class ResponsesProvider:
    """See `kram.providers.Provider`. Owns its transport."""

    def __init__(self, config: ProviderConfig, transport: Transport) -> None:
        self.name = config.name
        self._config = config
        self._transport = transport

    def body(self, request: CompletionRequest, model: Model) -> Json:
        return build(request, model, stream=True)

    async def stream(self, request: CompletionRequest, model: Model) -> AsyncIterator[StreamEvent]:
        body = self.body(request, model)
        events = streamed(
            self._transport,
            _PATH,
            body,
            self._headers(request),
            reader=Reader(),
            read_body=read_body,
            patient=model.compact or "reasoning" in body,
        )
        async with aclosing(events):
            async for event in events:
                yield event

    async def complete(self, request: CompletionRequest, model: Model) -> AsyncIterator[StreamEvent]:
        body = build(request, model, stream=False)
        async with aclosing(buffered(self._transport, _PATH, body, self._headers(request), read_body)) as events:
            async for event in events:
                yield event

    async def list_models(self) -> tuple[Model, ...]:
        body = await self._transport.get_json("/models", self._headers(None))
        known = {model.id: model for model in self._config.models}
        ids = sorted(str(item["id"]) for item in body.get("data") or () if isinstance(item, dict) and item.get("id"))
        return tuple(known.get(model_id) or Model(provider=self.name, id=model_id) for model_id in ids)

    async def aclose(self) -> None:
        await self._transport.aclose()

    def _headers(self, request: CompletionRequest | None) -> dict[str, str]:
        key = self._config.api_key.strip()
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return headers | ({"X-Trace-Id": request.trace_id} if request and request.trace_id else {})
