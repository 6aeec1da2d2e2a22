"""Asks one account which models it offers, which at the same time shows whether it can be reached: one small GET.

    ok        answered within 1.5 s
    degraded  answered, but slowly, or has no list of models
    down      no quota, an invalid key, a failure, no answer: `cause` names it, `todo` says what helps

Never raises for what a server does; nothing of a key is ever in a cause.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Literal, TypeAlias

import msgspec

from kram.base import Clock, Data, KramError, UsageError
from kram.config import Model, ask_server
from kram.config import Provider as ProviderConfig

from .endpoint import endpoint
from .errors import AuthFailed, ModelMissing, ProviderError, RateLimited
from .provider import Provider
from .registry import open_provider

LIMIT_S = 6.0
SLOW_MS = 1500
MAX_MODELS = 2_000

State: TypeAlias = Literal["ok", "degraded", "down"]
Opener: TypeAlias = Callable[[ProviderConfig], Provider]


class Listing(Data):
    """What an account answered. `models` is empty where it is down or has no list; `kind` is the failure class."""

    provider: str
    state: State
    models: tuple[Model, ...] = ()
    latency_ms: int = 0
    kind: str = ""
    cause: str = ""
    todo: str = ""


async def list_live(
    config: ProviderConfig, clock: Clock, *, limit_s: float = LIMIT_S, opener: Opener = open_provider
) -> Listing:
    """One account's models as they are offered now, with the windows a local server really gives."""
    began = clock.monotonic()
    try:
        # Without its own models: the server is to say what it knows of them, not what was configured.
        provider = opener(msgspec.structs.replace(config, models=()))
        try:
            async with asyncio.timeout(limit_s):
                models = await provider.list_models()
        finally:
            await provider.aclose()
    except TimeoutError:
        return Listing(
            provider=config.name,
            state="down",
            latency_ms=round(limit_s * 1000),
            kind="timeout",
            cause=f"no answer within {limit_s:g} s",
            todo=start_advice(config) or "Check the network and the address",
        )
    except KramError as failure:
        return _failed(config, failure, _ms(clock, began))
    latency_ms = _ms(clock, began)
    return Listing(
        provider=config.name,
        state="ok" if latency_ms < SLOW_MS else "degraded",
        models=tuple(await _with_details(config, models[:MAX_MODELS])),
        latency_ms=latency_ms,
        cause="" if latency_ms < SLOW_MS else "slow",
    )


async def _with_details(config: ProviderConfig, models: tuple[Model, ...]) -> list[Model]:
    """A server nearby is asked for its real windows; a vendor's cloud has said everything in its list."""
    known = {model.id: model for model in config.models}
    merged = [_told(known[model.id], model) if model.id in known else model for model in models]
    if not nearby(config):
        return merged
    return await ask_server(config.base_url, merged, name=config.name, key=config.api_key)


def _told(known: Model, listed: Model) -> Model:
    """Lists tell numbers where they tell them; abilities that a list leaves out are better known from elsewhere."""
    return msgspec.structs.replace(
        known,
        context_window=listed.context_window or known.context_window,
        trained_window=listed.trained_window or known.trained_window,
        max_output=known.max_output or listed.max_output,
        price=known.price or listed.price,
    )


def nearby(config: ProviderConfig) -> bool:
    """Whether the account is a server on this machine or network."""
    try:
        return bool(config.base_url) and endpoint(config).nearby
    except UsageError:
        return False


def _failed(config: ProviderConfig, failure: KramError, latency_ms: int) -> Listing:
    status = failure.status if isinstance(failure, ProviderError) else None
    kind = failure.kind if isinstance(failure, ProviderError) else "configuration"
    if isinstance(failure, ModelMissing) or status == 405:
        return Listing(
            provider=config.name, state="degraded", latency_ms=latency_ms, cause="answers, but has no list of models"
        )
    cause, todo = failure.what, failure.todo
    if isinstance(failure, RateLimited):
        cause, todo = "no quota", "Wait, or look at the account's limits"
    elif isinstance(failure, AuthFailed) and status is not None:
        cause, todo = "invalid key", f"Check {config.api_key_env or 'the key'}"
    elif not isinstance(failure, UsageError):
        todo = todo or start_advice(config)
    return Listing(provider=config.name, state="down", latency_ms=latency_ms, kind=kind, cause=cause, todo=todo)


def start_advice(config: ProviderConfig) -> str:
    """What to do about a server nearby that does not answer; "" for a vendor."""
    return f"Start the server at {config.base_url}" if nearby(config) else ""


def _ms(clock: Clock, began: float) -> int:
    return round((clock.monotonic() - began) * 1000)
