"""Who answers: a combo's candidates are ranked and tried until one commits; every attempt is recorded as it happens.

    constraints -> ranking -> attempt -> peek -> committed stream
                                 └─ failed before its first meaningful event: the next candidate, then the next round

Fallback ends at commitment. A failure after it reaches the caller, who holds what had already come.
"""

from __future__ import annotations

import random
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, suppress
from typing import Any, TypeAlias

import msgspec

from kram.base import Clock, Data, new_id
from kram.config import Combo, Roster
from kram.config import Provider as ProviderConfig
from kram.messages import Accumulator, Attempt, CompletionRequest, Route, StreamEvent
from kram.providers import Provider, ProviderError

from .backoff import Rounds
from .candidates import Candidate, eligible, ranked
from .errors import AllFailed, NoCandidate
from .peek import Judge, peek
from .pricing import priced
from .strategies import strategy_named

OpenProvider: TypeAlias = Callable[[ProviderConfig], Provider]


class Waiting(Data):
    """All candidates of a round failed and another round follows after `delay_s`."""

    reason: str
    delay_s: float
    round: int
    rounds: int


class Observer:
    """What a caller may listen to; every method may be overridden, must return at once and must not raise."""

    def started(self, route: Route) -> None: ...

    def attempted(self, route_id: str, attempt: Attempt) -> None: ...

    def waiting(self, waiting: Waiting) -> None: ...

    def done(self, route: Route) -> None: ...


class Gateway:
    """Holds open providers; safe for concurrent calls. `aclose` closes what it opened."""

    def __init__(
        self,
        roster: Roster,
        open_provider: OpenProvider,
        clock: Clock,
        *,
        rounds: Rounds | None = None,
        rng: random.Random | None = None,
    ) -> None:
        self.roster = roster
        self._open_provider = open_provider
        self._clock = clock
        self._rounds = rounds or Rounds()
        self._rng = rng or random.Random()
        self._open: dict[str, Provider] = {}

    def provider(self, name: str) -> Provider:
        """The open provider of that name; raises what opening it raises."""
        if name not in self._open:
            self._open[name] = self._open_provider(self.roster.providers[name])
        return self._open[name]

    def call(
        self,
        request: CompletionRequest,
        combo: Combo,
        *,
        purpose: str = "turn",
        prompt_tokens: int = 0,
        streaming: bool = True,
        observer: Observer | None = None,
    ) -> Call:
        """One model call, not started yet: iterate it for events, then read `route` and `winner`."""
        return Call(
            self,
            request,
            combo,
            purpose=purpose,
            prompt_tokens=prompt_tokens,
            streaming=streaming,
            observer=observer or Observer(),
        )

    async def aclose(self) -> None:
        for provider in self._open.values():
            await provider.aclose()
        self._open.clear()


class Call:
    """The life of one model call. Iterate once. Raises `NoCandidate` or `AllFailed` before commitment and the winner's
    `ProviderError` after it; `route` is complete in every case."""

    def __init__(
        self,
        gateway: Gateway,
        request: CompletionRequest,
        combo: Combo,
        *,
        purpose: str,
        prompt_tokens: int,
        streaming: bool,
        observer: Observer,
    ) -> None:
        self._gateway = gateway
        self._clock = gateway._clock
        self._request = request
        self._combo = combo
        self._streaming = streaming
        self._observer = observer
        self._began = self._clock.monotonic()
        fitting, left_out = eligible(combo, gateway.roster, request, prompt_tokens=prompt_tokens)
        self._candidates = strategy_named(combo.strategy)(fitting)
        self._left_out = left_out
        self._attempts: list[Attempt] = []
        self.accumulator = Accumulator()
        self.winner: Candidate | None = None
        self.route = Route(
            id=new_id(),
            purpose=purpose,
            combo=combo.name,
            strategy=combo.strategy or "priority",
            ranking=(*ranked(self._candidates), *left_out),
        )

    async def __aiter__(self) -> AsyncIterator[StreamEvent]:
        self._observer.started(self.route)
        try:
            if not self._candidates:
                raise NoCandidate(self._combo.name, self._left_out)
            async with aclosing(self._committed()) as events:
                async for event in events:
                    self.accumulator.add(event)
                    yield event
        finally:
            self._finish()

    async def _committed(self) -> AsyncGenerator[StreamEvent, None]:
        """Rounds of attempts until one commits, then its whole stream."""
        failures: list[ProviderError] = []
        for number in range(1, self._gateway._rounds.rounds + 1):
            for candidate in self._candidates:
                attempt = self._begin(candidate, number)
                events = self._events(candidate)
                try:
                    held = await peek(events, self._combo.gate)
                except ProviderError as failure:
                    failures.append(failure)
                    self._end(attempt, "rejected" if failure.kind == "content_rejected" else "error", failure)
                    await _close(events)
                    continue
                except BaseException:
                    self._end(attempt, "cancelled")
                    await _close(events)
                    raise
                async with aclosing(self._winning(candidate, attempt, held, events)) as winning:
                    async for event in winning:
                        yield event
                return
            await self._wait_or_give_up(number, failures)

    async def _winning(
        self, candidate: Candidate, attempt: Attempt, held: list[StreamEvent], events: AsyncGenerator[StreamEvent, None]
    ) -> AsyncGenerator[StreamEvent, None]:
        ttft_ms = self._elapsed_ms()
        attempt = self._replace(attempt, ttft_ms=ttft_ms, outcome="streaming")
        self.winner = candidate
        judge = Judge(self._combo.gate)
        try:
            for event in held:
                judge.note(event)
                yield event
            async for event in events:
                judge.note(event)
                yield event
            judge.check_end()
        except ProviderError as failure:
            self._end(attempt, "error", failure)
            raise
        except BaseException:
            self._end(attempt, "cancelled")
            raise
        else:
            self._end(attempt, "success")
        finally:
            await _close(events)

    async def _events(self, candidate: Candidate) -> AsyncGenerator[StreamEvent, None]:
        provider = self._gateway.provider(candidate.provider)
        source = provider.stream if self._streaming else provider.complete
        events = source(self._request, candidate.model)
        try:
            async for event in events:
                yield event
        finally:
            await _close(events)

    async def _wait_or_give_up(self, number: int, failures: list[ProviderError]) -> None:
        rounds = self._gateway._rounds
        this_round = failures[-len(self._candidates) :]
        retryable = [failure for failure in this_round if failure.retryable]
        asked = [failure.retry_after_s for failure in retryable if failure.retry_after_s is not None]
        delay_s = rounds.delay_s(
            number, min(asked) if len(asked) == len(retryable) and asked else None, self._gateway._rng
        )
        spent_s = self._clock.monotonic() - self._began
        if not retryable or number == rounds.rounds or spent_s + delay_s > rounds.budget_s:
            raise AllFailed(self._combo.name, self._attempts, failures) from failures[-1]
        self._observer.waiting(
            Waiting(reason=retryable[-1].what, delay_s=delay_s, round=number + 1, rounds=rounds.rounds)
        )
        await self._clock.sleep(delay_s)

    # --- the record ---------------------------------------------------------------------------------------------

    def _begin(self, candidate: Candidate, number: int) -> Attempt:
        attempt = Attempt(
            number=len(self._attempts) + 1, provider=candidate.provider, model=candidate.model.id, round=number
        )
        self._attempts.append(attempt)
        self._attempt_began = self._clock.monotonic()
        self._observer.attempted(self.route.id, attempt)
        return attempt

    def _end(self, attempt: Attempt, outcome: str, failure: ProviderError | None = None) -> None:
        self._replace(
            attempt,
            outcome=outcome,
            kind=failure.kind if failure else ("cancelled" if outcome == "cancelled" else ""),
            reason=failure.what if failure else "",
            http_status=failure.status if failure else None,
            latency_ms=self._elapsed_ms(),
        )

    def _replace(self, attempt: Attempt, **changes: Any) -> Attempt:
        changed = msgspec.structs.replace(self._attempts[attempt.number - 1], **changes)
        self._attempts[attempt.number - 1] = changed
        self._observer.attempted(self.route.id, changed)
        return changed

    def _elapsed_ms(self) -> int:
        return round((self._clock.monotonic() - self._attempt_began) * 1000)

    def _finish(self) -> None:
        usage = self.accumulator.completion().usage
        duration_ms = round((self._clock.monotonic() - self._began) * 1000)
        usage = msgspec.structs.replace(usage, latency_ms=duration_ms)
        if self.winner is not None:
            usage = priced(self.winner.model, usage)
        self.route = msgspec.structs.replace(
            self.route,
            attempts=tuple(self._attempts),
            winner=self.winner.name if self.winner else "",
            usage=usage,
            duration_ms=duration_ms,
        )
        self._observer.done(self.route)


async def _close(events: Any) -> None:
    """Closes an async generator whose provider may already be gone."""
    with suppress(RuntimeError):
        await events.aclose()
