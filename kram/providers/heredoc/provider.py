"""Lets any chat provider use tools by text: the request is rewritten on its way in, the answer is read on its way out.

    request -> tools into the system text, history as text, grammar -> the adapter -> text -> prose and tool events

Behind it everything is as with native calls. Models whose `tool_format` is native pass untouched.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import Any, TypeAlias

from kram.base import Json
from kram.config import Model
from kram.messages import CompletionRequest, StreamEvent
from kram.providers.provider import Provider

from .history import ResultsAs
from .translate import Translator, rewritten, speaks_text

Ask: TypeAlias = Callable[[CompletionRequest, Model], AsyncIterator[StreamEvent]]


class HeredocProvider:
    """See `kram.providers.Provider`. Owns the provider inside."""

    def __init__(self, inside: Provider, *, results: ResultsAs = "text") -> None:
        self.name = inside.name
        self.inside = inside
        self._results = results

    def body(self, request: CompletionRequest, model: Model) -> Json:
        """As it is sent: with the tools in the text where they go there."""
        as_text = speaks_text(request, model)
        return self.inside.body(rewritten(request, model, self._results) if as_text else request, model)

    def stream(self, request: CompletionRequest, model: Model) -> AsyncIterator[StreamEvent]:
        return self._answer(self.inside.stream, request, model)

    def complete(self, request: CompletionRequest, model: Model) -> AsyncIterator[StreamEvent]:
        return self._answer(self.inside.complete, request, model)

    async def list_models(self) -> tuple[Model, ...]:
        return await self.inside.list_models()

    async def aclose(self) -> None:
        await self.inside.aclose()

    async def _answer(self, ask: Ask, request: CompletionRequest, model: Model) -> AsyncIterator[StreamEvent]:
        """The adapters' answers are generators, so that closing this one closes the connection."""
        as_text = speaks_text(request, model)
        answer: Any = ask(rewritten(request, model, self._results) if as_text else request, model)
        translator = Translator(request.tools)
        async with aclosing(answer) as events:
            async for event in events:
                for found in translator.take(event) if as_text else (event,):
                    yield found
