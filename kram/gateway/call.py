"""The life of one model call: rounds of attempts, commitment by the first meaningful event, the record of it all.

    round -> ranking -> [own rate limit -> breaker -> look -> commit | fail] … -> wait -> round …

Fallback ends at commitment. A failure after it reaches the caller, who holds what had already come and may have another
call go on from there (`Resumed`). One budget of time holds over rounds, attempts, waits and such calls together.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from typing import Any, Protocol

import msgspec

from kram.base import Clock, KramError
from kram.config import Combo
from kram.messages import Accumulator, CompletionRequest, Ranked, Route, StreamEvent
from kram.providers import InvalidRequest, Limiter, Provider, ProviderError, RateLimited, TimedOut

from .affinity import Memory
from .attempts import Attempts, Running
from .backoff import Rounds
from .breaker import Breakers
from .candidates import Candidate, Sorted, earliest
from .errors import AllFailed, NoCandidate
from .observer import Observer, Waiting
from .peek import Judge, peek
from .pricing import priced
from .resumed import Resumed
from .splice import Splice
from .telemetry import Telemetry

log = logging.getLogger(__name__)

LOOK_AGAIN_S = 1.0
"""How long a call sleeps at once while another call's trial is under way."""


class Shared(Protocol):
    """What a call uses of its gateway."""

    clock: Clock
    rounds: Rounds
    rng: Any
    breakers: Breakers
    telemetry: Telemetry
    memory: Memory

    def provider(self, name: str) -> Provider: ...

    def limiter(self, name: str) -> Limiter | None: ...

    def sort(self, request: CompletionRequest, combo: Combo, prompt_tokens: int) -> Sorted: ...

    def rank(
        self, candidates: tuple[Candidate, ...], request: CompletionRequest, combo: Combo, run_key: str
    ) -> tuple[list[Candidate], list[Ranked]]: ...


class Call:
    """Iterate once. Raises `NoCandidate` or `AllFailed` before commitment and the winner's `ProviderError` after it;
    `route` is complete in every case."""

    def __init__(
        self,
        gateway: Shared,
        request: CompletionRequest,
        combo: Combo,
        *,
        route: Route,
        run_key: str,
        prompt_tokens: int,
        streaming: bool,
        observer: Observer,
        resumed: Resumed | None,
    ) -> None:
        self._gateway = gateway
        self._clock = gateway.clock
        self._request = request
        self._combo = combo
        self._run_key = run_key
        self._prompt_tokens = prompt_tokens
        self._streaming = streaming
        self._observer = observer
        self._began_s = self._clock.monotonic()
        self._resumed = resumed or Resumed(began_s=self._began_s)
        self._gate = self._resumed.gate(combo.gate)
        self._attempts = Attempts(gateway, observer, route.id)
        self._paid: set[str] = set()
        self.accumulator = Accumulator()
        self.winner: Candidate | None = None
        self.route = route

    async def __aiter__(self) -> AsyncGenerator[StreamEvent, None]:
        splice = Splice(self._resumed.said)
        try:
            async with aclosing(self._committed()) as events:
                async for event in events:
                    for shown in splice.feed(event):
                        self.accumulator.add(shown)
                        yield shown
            for shown in splice.close():
                self.accumulator.add(shown)
                yield shown
        finally:
            self._finish()

    def resumed(self) -> Resumed:
        """What a call needs that goes on from where this one broke."""
        broke = tuple(dict.fromkeys((*self._resumed.broke, *([self.winner.name] if self.winner else []))))
        said = self._resumed.said + self.accumulator.text
        return Resumed(began_s=self._resumed.began_s, broke=broke, said=said)

    @property
    def seconds_left(self) -> float:
        """Of the budget of time."""
        spent_s = self._clock.monotonic() - self._resumed.began_s
        return self._gateway.rounds.budget_s - spent_s

    # --- rounds -------------------------------------------------------------------------------------------------

    async def _committed(self) -> AsyncGenerator[StreamEvent, None]:
        """Rounds of attempts until one commits, then its whole stream. Every round ranks afresh."""
        for number in range(1, self._gateway.rounds.rounds + 1):
            before = len(self._attempts.failures)
            for candidate in await self._ranking(number):
                attempt = await self._admitted(candidate, number)
                if attempt is None:
                    continue
                events = self._events(candidate)
                held = await self._looked(attempt, events)
                if held is None:
                    continue
                async with aclosing(self._winning(attempt, held, events)) as winning:
                    async for event in winning:
                        yield event
                return
            await self._wait_or_give_up(number, self._attempts.failures[before:])

    async def _ranking(self, number: int) -> list[Candidate]:
        """The candidates of a round. Where all of them rest, waits for the first to come back, if that is near enough."""
        told = False
        while True:
            found = self._gateway.sort(self._request, self._combo, self._prompt_tokens)
            if fitting := self._worth(found.fitting):
                break
            first = earliest(self._worth(found.resting))
            if first is None or not self._waits_for(first):
                # What a person may have mended (a key, a missing model) is tried rather than nothing at all.
                fitting = self._worth(tuple(one for one in found.resting if one.view.blocked))
                if fitting:
                    break
                self._tell_start(number, list(found.left_out))
                raise self._nothing_left(found.left_out)
            wait_s = first.view.until_s - self._clock.monotonic()
            if not told:
                self._tell_wait(f"{first.name} is {first.view.reason}", wait_s, number, candidate=first.name)
                told = True
            await self._clock.sleep(min(wait_s, LOOK_AGAIN_S) if first.view.trying else wait_s)
        order, rows = self._gateway.rank(fitting, self._request, self._combo, self._run_key)
        self._tell_start(number, [*rows, *found.left_out])
        return sorted(order, key=lambda one: one.name in self._resumed.broke)

    def _worth(self, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        return tuple(one for one in candidates if self._attempts.worth(one.name))

    def _waits_for(self, candidate: Candidate) -> bool:
        wait_s = candidate.view.until_s - self._clock.monotonic()
        return wait_s <= min(self._gateway.rounds.max_retry_after_s, self.seconds_left)

    def _comes_back(self) -> bool:
        """Whether a candidate that rests is worth waiting for."""
        found = self._gateway.sort(self._request, self._combo, self._prompt_tokens)
        first = earliest(self._worth(found.resting))
        return first is not None and self._waits_for(first)

    def _nothing_left(self, left_out: tuple[Ranked, ...]) -> KramError:
        if failures := [failure for _, failure in self._attempts.failures]:
            return AllFailed(self._combo.name, self._attempts.all, failures)
        return NoCandidate(self._combo.name, left_out)

    def _tell_start(self, number: int, ranking: list[Ranked]) -> None:
        if number == 1:
            self.route = msgspec.structs.replace(self.route, ranking=tuple(ranking))
            self._observer.started(self.route)

    def _tell_wait(
        self, reason: str, delay_s: float, number: int, *, candidate: str = "", failure: ProviderError | None = None
    ) -> None:
        self._observer.waiting(
            Waiting(
                route_id=self.route.id,
                reason=reason,
                delay_s=delay_s,
                round=number,
                rounds=self._gateway.rounds.rounds,
                candidate=candidate,
                kind=failure.kind if failure else "",
                http_status=failure.status if failure else None,
            )
        )

    async def _wait_or_give_up(self, number: int, failures: list[tuple[str, ProviderError]]) -> None:
        """Between rounds. A candidate that asked for more time than anyone waits is not waited for; one that was resting all
        along is, where no other is left (the next ranking does that)."""
        rounds = self._gateway.rounds
        longest_s = min(rounds.max_retry_after_s, self.seconds_left)
        again = [
            (name, failure)
            for name, failure in failures
            if self._attempts.worth(name) and (failure.retry_after_s or 0.0) <= longest_s
        ]
        asked = [failure.retry_after_s for _, failure in again if failure.retry_after_s is not None]
        # One candidate may be back sooner than another asked for; only when all of them asked is the wait theirs.
        floor = min(asked) if asked and len(asked) == len(again) else None
        delay_s = rounds.delay_s(number, floor, self._gateway.rng)
        if not again and number < rounds.rounds and self._comes_back():
            return
        if not again or number == rounds.rounds or delay_s > self.seconds_left:
            raise self._nothing_left(self.route.ranking) from (failures[-1][1] if failures else None)
        name, failure = again[-1]
        self._tell_wait(failure.what, delay_s, number + 1, candidate=name, failure=failure)
        await self._clock.sleep(delay_s)

    # --- one attempt --------------------------------------------------------------------------------------------

    async def _admitted(self, candidate: Candidate, number: int) -> Running | None:
        """An attempt that may send now: our own rate limit waited for, the breaker asked. None where it may not."""
        attempt = self._attempts.open(candidate, number)
        provider = candidate.model.provider
        limiter = self._gateway.limiter(provider)
        if limiter is None or provider in self._paid:
            # One call costs one place; trying again is free.
            return attempt if attempt.begins() else None
        wait_s = limiter.reserve()
        if wait_s > min(self._gateway.rounds.max_retry_after_s, self.seconds_left):
            limiter.give_back()
            what = f"The rate limit you set for it leaves no room for another {wait_s:.0f} s"
            attempt.held_back(RateLimited(what, where=provider, retry_after_s=wait_s))
            return None
        try:
            if wait_s > 0:
                attempt.waits(wait_s)
                await self._clock.sleep(wait_s)
            begun = attempt.begins()
        except BaseException:
            limiter.give_back()
            attempt.cancelled()
            raise
        if not begun:
            limiter.give_back()
            return None
        self._paid.add(provider)
        return attempt

    async def _looked(self, attempt: Running, events: AsyncGenerator[StreamEvent, None]) -> list[StreamEvent] | None:
        """The events that commit an attempt; None where it failed."""
        limit = asyncio.timeout(max(0.0, self.seconds_left))
        try:
            async with limit:
                return await peek(events, self._gate, whole=not self._streaming)
        except ProviderError as failure:
            attempt.failed(failure)
        except TimeoutError:
            attempt.failed(TimedOut("The time for this call is used up", where=attempt.candidate.name))
        except BaseException:
            attempt.cancelled()
            await _close(events)
            raise
        await _close(events)
        return None

    async def _winning(
        self, attempt: Running, held: list[StreamEvent], events: AsyncGenerator[StreamEvent, None]
    ) -> AsyncGenerator[StreamEvent, None]:
        attempt.commits()
        self.winner = attempt.candidate
        judge = Judge(self._gate)
        try:
            for event in held:
                judge.note(event)
                yield event
            async for event in events:
                judge.note(event)
                yield event
            judge.check_end()
        except ProviderError as failure:
            attempt.failed(failure)
            raise
        except BaseException:
            attempt.cancelled()
            raise
        else:
            attempt.succeeded(self.accumulator.completion().usage, self._combo.name, self._run_key)
        finally:
            await _close(events)

    async def _events(self, candidate: Candidate) -> AsyncGenerator[StreamEvent, None]:
        """The provider's events. Whatever goes wrong is a `ProviderError`: a candidate that cannot even be asked (a wrong
        setting, an answer that trips its adapter) must not end the call for the others."""
        try:
            provider = self._gateway.provider(candidate.model.provider)
            source = provider.stream if self._streaming else provider.complete
            events = source(self._request, candidate.model)
            try:
                async for event in events:
                    yield event
            finally:
                await _close(events)
        except ProviderError:
            raise
        except KramError as failure:
            raise InvalidRequest(failure.what, where=failure.where, todo=failure.todo) from failure
        except Exception as failure:
            log.exception("an adapter failed")
            what = f"The exchange failed in kram itself: {type(failure).__name__}"
            raise ProviderError(what, where=candidate.name, todo="See the log") from failure

    def _finish(self) -> None:
        duration_ms = round((self._clock.monotonic() - self._began_s) * 1000)
        usage = msgspec.structs.replace(self.accumulator.completion().usage, latency_ms=duration_ms)
        if self.winner is not None:
            usage = priced(self.winner.model, usage)
        self.route = msgspec.structs.replace(
            self.route,
            attempts=tuple(self._attempts.all),
            winner=self.winner.name if self.winner else "",
            usage=usage,
            duration_ms=duration_ms,
        )
        self._observer.done(self.route)


async def _close(events: Any) -> None:
    """Closes an async generator whose provider may already be gone."""
    with suppress(RuntimeError):
        await events.aclose()
