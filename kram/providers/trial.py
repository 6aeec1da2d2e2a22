"""One tiny real request to one model: does it answer, how fast, at what length. For `kram models test` and the setup."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import Any

from kram.base import Clock, Data, KramError
from kram.config import Model
from kram.config import Provider as ProviderConfig
from kram.messages import Accumulator, CompletionRequest, Usage, is_meaningful, user_text

from .errors import ProviderError
from .live import Opener, start_advice
from .registry import open_provider

LIMIT_S = 60.0
MAX_TOKENS = 256
"""Enough for a model that thinks before it says its word."""
QUESTION = "Answer with the one word: ready"


class Trial(Data):
    """How it went. Times in milliseconds; `kind` is the failure class, `problem` and `todo` what failed and what to do."""

    candidate: str
    ok: bool
    first_word_ms: int | None = None
    total_ms: int = 0
    usage: Usage = Usage()
    text: str = ""
    kind: str = ""
    problem: str = ""
    todo: str = ""


async def try_model(
    config: ProviderConfig, model: Model, clock: Clock, *, limit_s: float = LIMIT_S, opener: Opener = open_provider
) -> Trial:
    """Never raises for what the other side does."""
    began = clock.monotonic()
    first_ms: int | None = None
    heard = Accumulator()
    request = CompletionRequest(messages=(user_text(QUESTION),), max_tokens=MAX_TOKENS)

    def elapsed_ms() -> int:
        return round((clock.monotonic() - began) * 1000)

    def failed(kind: str, problem: str, todo: str) -> Trial:
        return Trial(
            candidate=model.name,
            ok=False,
            first_word_ms=first_ms,
            total_ms=elapsed_ms(),
            kind=kind,
            problem=problem,
            todo=todo,
        )

    try:
        provider = opener(config)
        try:
            stream: Any = provider.stream(request, model)
            async with asyncio.timeout(limit_s), aclosing(stream) as events:
                async for event in events:
                    heard.add(event)
                    if first_ms is None and is_meaningful(event):
                        first_ms = elapsed_ms()
        finally:
            await provider.aclose()
    except TimeoutError:
        return failed("timeout", f"no whole answer within {limit_s:g} s", "Try again, or another model")
    except KramError as failure:
        kind = failure.kind if isinstance(failure, ProviderError) else "configuration"
        return failed(kind, failure.what, failure.todo or (start_advice(config) if kind == "network" else ""))
    completion = heard.completion()
    if first_ms is None:
        return failed("content_rejected", "an empty answer", "Try another model")
    return Trial(
        candidate=model.name,
        ok=True,
        first_word_ms=first_ms,
        total_ms=elapsed_ms(),
        usage=completion.usage,
        text=heard.text.strip()[:80],
    )
