"""The life of one model call: rounds of attempts, commitment by the first meaningful event, the record of it all.

Fallback ends at commitment. A failure after it reaches the caller, who holds what had already come.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from typing import Any, Protocol

import msgspec

from kram.base import Clock
from kram.config import Combo
from kram.messages import Accumulator, Attempt, CompletionRequest, Ranked, Route, StreamEvent
from kram.providers import Provider, ProviderError

from .affinity import Memory
from .backoff import Rounds
from .breaker import Breakers
from .candidates import Candidate, Sorted, earliest
from .errors import AllFailed, NoCandidate
from .observer import Observer, Waiting
from .peek import Judge, peek
from .pricing import priced
from .telemetry import Telemetry


class Shared(Protocol):
    """What a call uses of its gateway."""

    clock: Clock
    rounds: Rounds
    rng: Any
    breakers: Breakers
    telemetry: Telemetry
    memory: Memory

    def provider(self, name: str) -> Provider: ...

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
    ) -> None:
        self._gateway = gateway
        self._clock = gateway.clock
        self._request = request
        self._combo = combo
        self._run_key = run_key
        self._prompt_tokens = prompt_tokens
        self._streaming = streaming
        self._observer = observer
        self._began = self._clock.monotonic()
        self._attempt_began = self._began
        self._attempts: list[Attempt] = []
        self._failures: list[ProviderError] = []
        self.accumulator = Accumulator()
        self.winner: Candidate | None = None
        self.route = route

    async def __aiter__(self) -> AsyncGenerator[StreamEvent, None]:
        try:
            async with aclosing(self._committed()) as events:
                async for event in events:
                    self.accumulator.add(event)
                    yield event
        finally:
            self._finish()

    # --- rounds -------------------------------------------------------------------------------------------------

    async def _committed(self) -> AsyncGenerator[StreamEvent, None]:
        """Rounds of attempts until one commits, then its whole stream. Every round ranks afresh."""
        for number in range(1, self._gateway.rounds.rounds + 1):
            before = len(self._failures)
            for candidate in await self._ranking(number):
                if not self._gateway.breakers[candidate.domain].begin(self._clock.monotonic()):
                    continue
                attempt = self._begin(candidate, number)
                events = self._events(candidate)
                try:
                    held = await peek(events, self._combo.gate)
                except ProviderError as failure:
                    self._failed(candidate, attempt, failure)
                    await _close(events)
                    continue
                except BaseException:
                    self._cancelled(candidate, attempt)
                    await _close(events)
                    raise
                async with aclosing(self._winning(candidate, attempt, held, events)) as winning:
                    async for event in winning:
                        yield event
                return
            await self._wait_or_give_up(number, self._failures[before:])

    async def _ranking(self, number: int) -> list[Candidate]:
        """The candidates of a round. Where all of them rest, waits for the first to come back, if that is near enough."""
        found = self._gateway.sort(self._request, self._combo, self._prompt_tokens)
        if not found.fitting:
            first = earliest(found.resting)
            wait_s = first.view.until_s - self._clock.monotonic() if first else 0.0
            if first is None or wait_s > self._gateway.rounds.max_retry_after_s:
                self._tell_start(number, list(found.left_out))
                raise NoCandidate(self._combo.name, found.left_out)
            reason = f"{first.name} is {first.view.reason}"
            self._observer.waiting(
                Waiting(reason=reason, delay_s=wait_s, round=number, rounds=self._gateway.rounds.rounds)
            )
            await self._clock.sleep(wait_s)
            found = self._gateway.sort(self._request, self._combo, self._prompt_tokens)
        order, rows = self._gateway.rank(found.fitting, self._request, self._combo, self._run_key)
        self._tell_start(number, [*rows, *found.left_out])
        return order

    def _tell_start(self, number: int, ranking: list[Ranked]) -> None:
        if number == 1:
            self.route = msgspec.structs.replace(self.route, ranking=tuple(ranking))
            self._observer.started(self.route)

    async def _wait_or_give_up(self, number: int, failures: list[ProviderError]) -> None:
        rounds = self._gateway.rounds
        retryable = [failure for failure in failures if failure.retryable]
        asked = [failure.retry_after_s for failure in retryable if failure.retry_after_s is not None]
        # One candidate may be back sooner than another asked for; only when all of them asked is the wait theirs.
        floor = min(asked) if asked and len(asked) == len(retryable) else None
        delay_s = rounds.delay_s(number, floor, self._gateway.rng)
        spent_s = self._clock.monotonic() - self._began
        if not retryable or number == rounds.rounds or spent_s + delay_s > rounds.budget_s:
            if not self._failures:
                raise NoCandidate(self._combo.name, self.route.ranking)
            raise AllFailed(self._combo.name, self._attempts, self._failures) from self._failures[-1]
        self._observer.waiting(
            Waiting(reason=retryable[-1].what, delay_s=delay_s, round=number + 1, rounds=rounds.rounds)
        )
        await self._clock.sleep(delay_s)

    # --- one attempt --------------------------------------------------------------------------------------------

    async def _winning(
        self,
        candidate: Candidate,
        attempt: Attempt,
        held: list[StreamEvent],
        events: AsyncGenerator[StreamEvent, None],
    ) -> AsyncGenerator[StreamEvent, None]:
        attempt = self._replace(attempt, ttft_ms=self._elapsed_ms(), outcome="streaming")
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
            self._failed(candidate, attempt, failure)
            raise
        except BaseException:
            self._cancelled(candidate, attempt)
            raise
        else:
            self._succeeded(candidate, attempt)
        finally:
            await _close(events)

    async def _events(self, candidate: Candidate) -> AsyncGenerator[StreamEvent, None]:
        provider = self._gateway.provider(candidate.model.provider)
        source = provider.stream if self._streaming else provider.complete
        events = source(self._request, candidate.model)
        try:
            async for event in events:
                yield event
        finally:
            await _close(events)

    def _begin(self, candidate: Candidate, number: int) -> Attempt:
        model = candidate.model
        attempt = Attempt(number=len(self._attempts) + 1, provider=model.provider, model=model.id, round=number)
        self._attempts.append(attempt)
        self._attempt_began = self._clock.monotonic()
        self._observer.attempted(self.route.id, attempt)
        return attempt

    def _succeeded(self, candidate: Candidate, attempt: Attempt) -> None:
        done = self._replace(attempt, outcome="success", latency_ms=self._elapsed_ms())
        usage = priced(candidate.model, self.accumulator.completion().usage)
        self._gateway.breakers[candidate.domain].succeeded()
        self._gateway.telemetry.succeeded(
            candidate.name, ttft_ms=done.ttft_ms or 0, total_ms=done.latency_ms, usage=usage
        )
        self._gateway.memory.completed(self._combo.name, self._run_key, candidate.name)

    def _failed(self, candidate: Candidate, attempt: Attempt, failure: ProviderError) -> None:
        self._failures.append(failure)
        self._gateway.breakers[candidate.domain].failed(failure, self._clock.monotonic())
        self._gateway.telemetry.failed(candidate.name)
        self._replace(
            attempt,
            outcome="rejected" if failure.kind == "content_rejected" else "error",
            kind=failure.kind,
            reason=failure.what,
            http_status=failure.status,
            latency_ms=self._elapsed_ms(),
        )

    def _cancelled(self, candidate: Candidate, attempt: Attempt) -> None:
        self._gateway.breakers[candidate.domain].released()
        self._replace(attempt, outcome="cancelled", kind="cancelled", latency_ms=self._elapsed_ms())

    def _replace(self, attempt: Attempt, **changes: Any) -> Attempt:
        changed = msgspec.structs.replace(self._attempts[attempt.number - 1], **changes)
        self._attempts[attempt.number - 1] = changed
        self._observer.attempted(self.route.id, changed)
        return changed

    def _elapsed_ms(self) -> int:
        return round((self._clock.monotonic() - self._attempt_began) * 1000)

    def _finish(self) -> None:
        duration_ms = round((self._clock.monotonic() - self._began) * 1000)
        usage = msgspec.structs.replace(self.accumulator.completion().usage, latency_ms=duration_ms)
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
