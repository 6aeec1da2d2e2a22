"""The Responses API over HTTP: joins the two pure halves with the transport."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing

from kram.config import Model
from kram.config import Provider as ProviderConfig
from kram.messages import CompletionRequest, StreamEvent
from kram.providers.transport import Transport

from .request import build
from .stream import Reader, read_body

DEFAULT_BASE_URL = "https://api.openai.com/v1"


class ResponsesProvider:
    """See `kram.providers.Provider`. Owns its transport."""

    def __init__(self, config: ProviderConfig, transport: Transport) -> None:
        self.name = config.name
        self._config = config
        self._transport = transport

    async def stream(self, request: CompletionRequest, model: Model) -> AsyncIterator[StreamEvent]:
        reader = Reader()
        body = build(request, model, stream=True)
        async with aclosing(self._transport.stream_events("/responses", body, self._headers(request))) as received:
            async for event in received:
                for found in reader.feed(event):
                    yield found
        for found in reader.close():
            yield found

    async def complete(self, request: CompletionRequest, model: Model) -> AsyncIterator[StreamEvent]:
        body = await self._transport.post_json(
            "/responses", build(request, model, stream=False), self._headers(request)
        )
        for found in read_body(body):
            yield found

    async def list_models(self) -> tuple[Model, ...]:
        body = await self._transport.get_json("/models", self._headers(None))
        known = {model.id: model for model in self._config.models}
        ids = sorted(str(item["id"]) for item in body.get("data") or () if isinstance(item, dict) and item.get("id"))
        return tuple(known.get(model_id) or Model(provider=self.name, id=model_id) for model_id in ids)

    async def aclose(self) -> None:
        await self._transport.aclose()

    def _headers(self, request: CompletionRequest | None) -> dict[str, str]:
        headers = {"Authorization": f"Bearer {self._config.api_key}"} if self._config.api_key else {}
        return headers | ({"X-Trace-Id": request.trace_id} if request and request.trace_id else {})
