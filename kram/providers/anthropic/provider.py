"""The Messages API over HTTP: joins the two pure halves with the transport."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing

from kram.base import Json
from kram.config import Model
from kram.config import Provider as ProviderConfig
from kram.messages import CompletionRequest, StreamEvent
from kram.providers.compat import quirks_of
from kram.providers.errors import ServerFailed
from kram.providers.exchange import buffered, streamed
from kram.providers.transport import Transport

from .request import build
from .stream import Reader, read_body

API_VERSION = "2023-06-01"
_COUNTED = ("model", "messages", "system", "tools", "tool_choice", "thinking")
"""What a request for a count may hold."""
_INTERLEAVED = "interleaved-thinking-2025-05-14"


class AnthropicProvider:
    """See `kram.providers.Provider`. Owns its transport."""

    def __init__(self, config: ProviderConfig, transport: Transport) -> None:
        self.name = config.name
        self._config = config
        self._transport = transport
        # The vendor's own SDK takes the base URL without `/v1`; people often write it with.
        self._prefix = "" if transport.target.base_url.endswith("/v1") else "/v1"

    def body(self, request: CompletionRequest, model: Model) -> Json:
        return build(request, model, stream=True, quirks=quirks_of(self._config, model))

    async def stream(self, request: CompletionRequest, model: Model) -> AsyncIterator[StreamEvent]:
        body = self.body(request, model)
        events = streamed(
            self._transport,
            f"{self._prefix}/messages",
            body,
            self._headers(request, model, body),
            reader=Reader(),
            read_body=read_body,
            patient=model.compact or "thinking" in body,
        )
        async with aclosing(events):
            async for event in events:
                yield event

    async def complete(self, request: CompletionRequest, model: Model) -> AsyncIterator[StreamEvent]:
        body = build(request, model, stream=False, quirks=quirks_of(self._config, model))
        path = f"{self._prefix}/messages"
        async with aclosing(
            buffered(self._transport, path, body, self._headers(request, model, body), read_body)
        ) as events:
            async for event in events:
                yield event

    async def count_tokens(self, request: CompletionRequest, model: Model) -> int:
        """What the vendor itself counts for a request, without sending it to a model. Raises `ProviderError`."""
        body = {name: value for name, value in self.body(request, model).items() if name in _COUNTED}
        path = f"{self._prefix}/messages/count_tokens"
        answer = await self._transport.post_json(path, body, self._headers(request, model, body))
        tokens = answer.get("input_tokens")
        if not isinstance(tokens, int) or tokens <= 0:
            raise ServerFailed("The count is none", where=self._transport.target.where)
        return tokens

    async def list_models(self) -> tuple[Model, ...]:
        """The account's models, with the limits the API tells."""
        answer = await self._transport.get_json(f"{self._prefix}/models?limit=1000", self._headers(None, None, {}))
        known = {model.id: model for model in self._config.models}
        items = [
            item for item in answer.get("data") or () if isinstance(item, dict) and isinstance(item.get("id"), str)
        ]
        return tuple(known.get(item["id"]) or self._model(item) for item in items)

    async def aclose(self) -> None:
        await self._transport.aclose()

    def _model(self, item: dict[str, object]) -> Model:
        window, output = item.get("max_input_tokens"), item.get("max_tokens")
        return Model(
            provider=self.name,
            id=str(item["id"]),
            context_window=window if isinstance(window, int) else 0,
            max_output=output if isinstance(output, int) else 0,
            images=True,
        )

    def _headers(
        self, request: CompletionRequest | None, model: Model | None, body: dict[str, object]
    ) -> dict[str, str]:
        headers = {"anthropic-version": API_VERSION}
        if key := self._config.api_key.strip():
            headers["x-api-key"] = key
        if request and request.trace_id:
            headers["X-Trace-Id"] = request.trace_id
        by_budget = "budget_tokens" in str(body.get("thinking"))
        if model and by_budget and body.get("tools") and "interleaved_thinking" in quirks_of(self._config, model):
            headers["anthropic-beta"] = _INTERLEAVED
        return headers
