"""Gemini over HTTP: joins the two pure halves with the transport. The key travels in a header, never in the URL."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from urllib.parse import quote

from kram.base import Json
from kram.config import Model
from kram.config import Provider as ProviderConfig
from kram.messages import CompletionRequest, StreamEvent
from kram.providers.exchange import buffered, streamed
from kram.providers.transport import Transport

from .request import build
from .stream import Reader, read_body

_PAGES = 10


class GeminiProvider:
    """See `kram.providers.Provider`. Owns its transport."""

    def __init__(self, config: ProviderConfig, transport: Transport) -> None:
        self.name = config.name
        self._config = config
        self._transport = transport

    def body(self, request: CompletionRequest, model: Model) -> Json:
        return build(request, model)

    async def stream(self, request: CompletionRequest, model: Model) -> AsyncIterator[StreamEvent]:
        body = self.body(request, model)
        events = streamed(
            self._transport,
            f"{_path(model)}:streamGenerateContent?alt=sse",
            body,
            self._headers(request),
            reader=Reader(),
            read_body=read_body,
            patient=model.compact or "thinkingConfig" in body.get("generationConfig", {}),
        )
        async with aclosing(events):
            async for event in events:
                yield event

    async def complete(self, request: CompletionRequest, model: Model) -> AsyncIterator[StreamEvent]:
        path = f"{_path(model)}:generateContent"
        events = buffered(self._transport, path, build(request, model), self._headers(request), read_body)
        async with aclosing(events):
            async for event in events:
                yield event

    async def list_models(self) -> tuple[Model, ...]:
        """Models that can generate content, with their windows as the provider tells them."""
        known = {model.id: model for model in self._config.models}
        found: list[Model] = []
        page = ""
        for _ in range(_PAGES):
            query = "?pageSize=1000" + (f"&pageToken={quote(page, safe='')}" if page else "")
            body = await self._transport.get_json(f"/models{query}", self._headers(None))
            for item in body.get("models") or ():
                if isinstance(item, dict) and "generateContent" in (item.get("supportedGenerationMethods") or ()):
                    model_id = str(item.get("name") or "").removeprefix("models/")
                    found.append(known.get(model_id) or self._model(model_id, item))
            page = str(body.get("nextPageToken") or "")
            if not page:
                break
        return tuple(found)

    async def aclose(self) -> None:
        await self._transport.aclose()

    def _model(self, model_id: str, item: dict[str, object]) -> Model:
        window, output = item.get("inputTokenLimit"), item.get("outputTokenLimit")
        return Model(
            provider=self.name,
            id=model_id,
            context_window=window if isinstance(window, int) else 0,
            max_output=output if isinstance(output, int) else 0,
            images=True,
        )

    def _headers(self, request: CompletionRequest | None) -> dict[str, str]:
        key = self._config.api_key.strip()
        headers = {"x-goog-api-key": key} if key else {}
        return headers | ({"X-Trace-Id": request.trace_id} if request and request.trace_id else {})


def _path(model: Model) -> str:
    """`/models/ID`; a tuned model's id brings its own collection."""
    return f"/{quote(model.id if '/' in model.id else f'models/{model.id}', safe='/')}"
