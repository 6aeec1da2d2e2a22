"""Where probes send from: one account and model, requests counted, refusals told apart from failures.

A refusal is an answer: the server does not take this. A failure (no connection, no key, no quota) says nothing about the
endpoint and ends the probing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import aclosing
from typing import Any

import msgspec

from kram.base import Clock, Data
from kram.config import Model
from kram.config import Provider as ProviderConfig
from kram.messages import Accumulator, Completion, CompletionRequest, TextBlock, TextDelta, ThinkingBlock, ToolUseBlock
from kram.providers.compat import quirks_of
from kram.providers.errors import (
    InvalidRequest,
    ModelMissing,
    NetworkFailed,
    ProviderError,
    RateLimited,
    ServerFailed,
    TimedOut,
)
from kram.providers.live import list_live
from kram.providers.provider import Provider

MAX_TOKENS = 64
LIMIT_S = 300.0
WAIT_S, MAX_WAIT_S = 1.0, 30.0
UNABLE = (500, 501)
CHAT = ("openai-chat", "llama-cpp")
"""Kinds that speak Chat Completions, where peculiarities can be obeyed."""


class Reply(Data):
    """What came of a request. `refusal` "" where it was answered; `deltas` counts pieces of text."""

    completion: Completion = Completion()
    refusal: str = ""
    deltas: int = 0

    @property
    def refused(self) -> bool:
        return bool(self.refusal)

    @property
    def text(self) -> str:
        return "".join(block.text for block in self.completion.content if isinstance(block, TextBlock)).strip()

    @property
    def thinking(self) -> tuple[ThinkingBlock, ...]:
        return tuple(block for block in self.completion.content if isinstance(block, ThinkingBlock))

    @property
    def calls(self) -> tuple[ToolUseBlock, ...]:
        return tuple(block for block in self.completion.content if isinstance(block, ToolUseBlock))


class Lab:
    """`model` carries what was learnt so far, so that later probes are sent in a way the server takes."""

    def __init__(self, provider: Provider, config: ProviderConfig, model: Model, clock: Clock) -> None:
        self.config = config
        self.model = model
        self.requests = 0
        self._provider = provider
        self._clock = clock

    @property
    def quirks(self) -> frozenset[str]:
        return quirks_of(self.config, self.model)

    def learn(self, facts: dict[str, Any], quirks: Iterable[str]) -> None:
        self.model = with_facts(self.model, facts, quirks)

    async def told(self) -> Model | None:
        """What the account's own list tells of the model; None where it has none or is silent about it."""
        listing = await list_live(self.config, self._clock)
        return next((one for one in listing.models if one.id == self.model.id), None)

    async def ask(
        self,
        request: CompletionRequest,
        *,
        quirks: Iterable[str] = (),
        facts: dict[str, Any] | None = None,
        stream: bool = True,
    ) -> Reply:
        """Sends one request, with further quirks and facts tried on. Raises `ProviderError` for a failure."""
        model = with_facts(self.model, facts or {}, quirks)
        if not request.max_tokens:
            request = msgspec.structs.replace(request, max_tokens=MAX_TOKENS)
        try:
            return await self._once(request, model, stream=stream)
        except (RateLimited, NetworkFailed) as failure:
            # One more try: a quota that is used up for seconds, a kept connection that the server has just closed.
            await self._clock.sleep(min(MAX_WAIT_S, failure.retry_after_s or WAIT_S))
            return await self._once(request, model, stream=stream)

    async def _once(self, request: CompletionRequest, model: Model, *, stream: bool, again: bool = False) -> Reply:
        self.requests += 1
        heard, deltas = Accumulator(), 0
        source: Any = (self._provider.stream if stream else self._provider.complete)(request, model)
        try:
            async with asyncio.timeout(LIMIT_S), aclosing(source) as events:
                async for event in events:
                    heard.add(event)
                    deltas += isinstance(event, TextDelta)
        except TimeoutError as failure:
            raise TimedOut(f"no whole answer within {LIMIT_S:.0f} s", where=self.model.name) from failure
        except InvalidRequest as failure:
            return Reply(refusal=failure.what)
        except ServerFailed as failure:
            # Some servers answer 500 to what they do not take. Only said twice it is a refusal, not an accident.
            # An answer that was not to be streamed and is no JSON is one, too.
            if failure.status not in UNABLE and (stream or failure.status is not None):
                raise
            return Reply(refusal=failure.what) if again else await self._once(request, model, stream=stream, again=True)
        except ProviderError as failure:
            # Some routers answer 404 where no endpoint of the model takes a field.
            if isinstance(failure, ModelMissing) and self.requests > 1:
                return Reply(refusal=failure.what)
            raise
        return Reply(completion=heard.completion(), deltas=deltas)


def with_facts(model: Model, facts: dict[str, Any], quirks: Iterable[str]) -> Model:
    """The model with settings and quirks added; of a quirk and its opposite the later one counts."""
    named = dict.fromkeys(model.quirks)
    for quirk in quirks:
        named.pop(quirk.removeprefix("!") if quirk.startswith("!") else f"!{quirk}", None)
        named[quirk] = None
    return msgspec.structs.replace(model, **facts, quirks=tuple(named))
