"""Two real local servers that play scripted bytes, a gateway over both, and everything that is said while it routes.

`a` speaks like OpenAI's chat API, `b` like Anthropic's; the combo tries `a` first.
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from kram.config import Combo, Gate, Model, Price, Provider, RateLimit, Roster
from kram.gateway import BreakerView, Call, Gateway, Observer, Resumed, Waiting
from kram.messages import Attempt, CompletionRequest, Route, StreamEvent, TextDelta, user_text
from kram.providers import open_provider
from tests.support.byte_server import ByteServer, Script, Step, head
from tests.support.swift import SwiftClock
from tests.support.vendor import Call as ToolCall
from tests.support.vendor import answered, base_url

PROTOCOL = {"a": "openai-chat", "b": "anthropic"}
KEY = {"a": "sk-account-a-0123456789", "b": "sk-account-b-0123456789"}
ASK = CompletionRequest(system=("Be brief.",), messages=(user_text("hi"),))


class Heard(Observer):
    def __init__(self) -> None:
        self.attempts: list[Attempt] = []
        self.waits: list[Waiting] = []
        self.routes: list[Route] = []

    def attempted(self, route_id: str, attempt: Attempt) -> None:
        self.attempts.append(attempt)

    def waiting(self, waiting: Waiting) -> None:
        self.waits.append(waiting)

    def done(self, route: Route) -> None:
        self.routes.append(route)

    def told(self) -> list[tuple[str, str, str]]:
        """Provider, outcome and failure class of every event, in order."""
        return [(one.provider, one.outcome, one.kind) for one in self.attempts]


@dataclass
class Asked:
    """One model call and how it went; `error` where it raised."""

    call: Call
    events: list[StreamEvent] = field(default_factory=list)
    error: Exception | None = None

    @property
    def text(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, TextDelta))

    @property
    def outcomes(self) -> list[tuple[str, str, str]]:
        """Provider, outcome and failure class of every attempt, as the route keeps them."""
        return [(one.provider, one.outcome, one.kind) for one in self.call.route.attempts]


@dataclass
class Pair:
    a: ByteServer
    b: ByteServer
    gateway: Gateway
    combo: Combo
    clock: SwiftClock
    heard: Heard = field(default_factory=Heard)

    async def ask(self, request: CompletionRequest = ASK, *, resumed: Resumed | None = None, **more: Any) -> Asked:
        call = self.gateway.call(request, self.combo, observer=self.heard, resumed=resumed, **more)
        asked = Asked(call)
        try:
            async with aclosing(call.__aiter__()) as events:
                async for event in events:
                    asked.events.append(event)
        except Exception as error:
            asked.error = error
        return asked

    def breaker(self, name: str, model: str = "m") -> BreakerView:
        """The state of a server's breaker; looking changes nothing."""
        found = self.gateway.sort(ASK, Combo(name="one", candidates=(f"{name}/{model}",)), 0)
        return next(iter((*found.fitting, *found.resting))).view


def provider(name: str, url: str, **more: Any) -> Provider:
    protocol = PROTOCOL[name[0]]
    price = Price(input=1.0, output=2.0)
    models = tuple(Model(provider=name, id=model, price=price, context_window=100_000) for model in ("m", "other"))
    settings = {"base_url": base_url(protocol, url), "api_key": KEY[name[0]]} | more
    return Provider(name=name, kind=protocol, models=models, **settings)


@asynccontextmanager
async def pair(
    a: Sequence[Script] | Script,
    b: Sequence[Script] | Script | None = None,
    *,
    candidates: Sequence[str] = ("a/m", "b/m"),
    gate: Gate | None = None,
    clock: SwiftClock | None = None,
    rate_limit: RateLimit | None = None,
    **settings: Any,
) -> AsyncIterator[Pair]:
    """`b` answers "from b" unless it is scripted. `settings` go to the configuration of `a`."""
    async with ByteServer(a) as first, ByteServer(good("from b", "b") if b is None else b) as second:
        limits = {"rate_limit": rate_limit} if rate_limit else {}
        providers = {"a": provider("a", first.url, **limits, **settings), "b": provider("b", second.url)}
        combo = Combo(name="pair", candidates=tuple(candidates), gate=gate or Gate())
        clock = clock or SwiftClock()
        gateway = Gateway(
            Roster(providers=providers, combos={"pair": combo}), open_provider, clock, rng=random.Random(7)
        )
        try:
            yield Pair(first, second, gateway, combo, clock)
        finally:
            await gateway.aclose()


# --- what the servers say -----------------------------------------------------------------------------------------------


def good(text: str = "from a", name: str = "a", calls: Sequence[ToolCall] = (), **more: Any) -> Script:
    """A sound answer in the server's protocol."""
    return answered(PROTOCOL[name], text, calls, **more)


def pieces(text: str, name: str = "a", calls: Sequence[ToolCall] = ()) -> list[bytes]:
    """The events of a sound answer one by one; the head is `head()`."""
    (whole,) = good(text, name, calls)
    assert isinstance(whole, bytes)
    body = whole.split(b"\r\n\r\n", 1)[1]
    return [part + b"\n\n" for part in body.split(b"\n\n") if part.strip()]


def broken(
    text: str, end: Step | Sequence[Step], *, after: int, name: str = "a", calls: Sequence[ToolCall] = ()
) -> Script:
    """The first `after` events of an answer, then its end."""
    steps = list(end) if isinstance(end, list | tuple) else [end]
    return [head(), *pieces(text, name, calls)[:after], *steps]
