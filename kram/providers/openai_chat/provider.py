"""Chat Completions over HTTP: joins the two pure halves with the transport."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing, suppress

from kram.base import Json
from kram.config import Model
from kram.config import Provider as ProviderConfig
from kram.messages import CompletionRequest, StreamEvent
from kram.providers.compat import quirks_of
from kram.providers.errors import ModelMissing
from kram.providers.exchange import buffered, streamed
from kram.providers.transport import Transport

from .models import read_model
from .request import build
from .stream import Reader, read_body

_PATH = "/chat/completions"
_SILENT = ("reasoning_effort", "reasoning", "thinking")
"""Fields of a body whose model may think for minutes without a word."""


class OpenAIChatProvider:
    """See `kram.providers.Provider`. Owns its transport."""

    def __init__(self, config: ProviderConfig, transport: Transport) -> None:
        self.name = config.name
        self._config = config
        self._transport = transport

    def body(self, request: CompletionRequest, model: Model) -> Json:
        return build(request, model, stream=True, quirks=quirks_of(self._config, model))

    async def stream(self, request: CompletionRequest, model: Model) -> AsyncIterator[StreamEvent]:
        quirks = quirks_of(self._config, model)
        body = self.body(request, model)
        events = streamed(
            self._transport,
            _PATH,
            body,
            self._headers(request),
            reader=Reader(),
            read_body=read_body,
            patient=model.compact or "fixed_sampling" in quirks or any(field in body for field in _SILENT),
        )
        async with aclosing(events):
            async for event in events:
                yield event

    async def complete(self, request: CompletionRequest, model: Model) -> AsyncIterator[StreamEvent]:
        body = build(request, model, stream=False, quirks=quirks_of(self._config, model))
        async with aclosing(buffered(self._transport, _PATH, body, self._headers(request), read_body)) as events:
            async for event in events:
                yield event

    async def list_models(self) -> tuple[Model, ...]:
        """What the server offers, with the windows and abilities it tells; configured models as they are configured."""
        await self._check_key()
        answer = await self._transport.get_json("/models", self._headers(None))
        known = {model.id: model for model in self._config.models}
        items: list[Json] = [item for item in answer.get("data") or () if isinstance(item, dict)]
        found = [model for item in items if (model := read_model(item, self.name)) is not None]
        return tuple(known.get(model.id) or model for model in found)

    async def _check_key(self) -> None:
        """Where everybody may list the models, a wrong key would look like a good one."""
        if self._config.key_check and self._config.api_key:
            # A compatible server elsewhere need not have that page.
            with suppress(ModelMissing):
                await self._transport.get_json(self._config.key_check, self._headers(None))

    async def aclose(self) -> None:
        await self._transport.aclose()

    def _headers(self, request: CompletionRequest | None) -> dict[str, str]:
        """No bearer at all without a key: some local servers refuse an empty one."""
        key = self._config.api_key.strip()
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return headers | ({"X-Trace-Id": request.trace_id} if request and request.trace_id else {})
