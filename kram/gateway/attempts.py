"""The attempts of one model call: each told as it starts, waits, fails or wins, and its outcome counted where it belongs.

Breaker, telemetry and routing memory learn of an attempt here and nowhere else.
"""

from __future__ import annotations

from typing import Any, Protocol

import msgspec

from kram.base import Clock
from kram.messages import Attempt, Usage
from kram.providers import ProviderError

from .affinity import Memory
from .breaker import Admission, Breakers
from .candidates import Candidate
from .observer import Observer
from .pricing import priced
from .telemetry import Telemetry

NO_ANSWER = frozenset({"content_rejected", "incomplete"})
MAX_REJECTED = 2
"""How often one candidate may give an answer that is none, in one call: empty, refused by the gate, cut off before it began."""


class Counting(Protocol):
    """What is told of outcomes."""

    clock: Clock
    breakers: Breakers
    telemetry: Telemetry
    memory: Memory


class Attempts:
    """`all` in order. `failures` in order, each with the candidate's name."""

    def __init__(self, shared: Counting, observer: Observer, route_id: str) -> None:
        self._shared = shared
        self._observer = observer
        self._route_id = route_id
        self.all: list[Attempt] = []
        self.failures: list[tuple[str, ProviderError]] = []

    def open(self, candidate: Candidate, round_number: int) -> Running:
        """A new attempt that has not begun."""
        model = candidate.model
        number = len(self.all) + 1
        self.all.append(Attempt(number=number, provider=model.provider, model=model.id, round=round_number))
        return Running(self, candidate, number)

    def worth(self, name: str) -> bool:
        """Whether another try at a candidate may help: not after what no try can mend, nor after two refused answers."""
        own = [failure for candidate, failure in self.failures if candidate == name]
        rejected = sum(failure.kind in NO_ANSWER for failure in own)
        return all(failure.retryable for failure in own) and rejected < MAX_REJECTED

    def change(self, number: int, **changes: Any) -> Attempt:
        changed = msgspec.structs.replace(self.all[number - 1], **changes)
        self.all[number - 1] = changed
        self._observer.attempted(self._route_id, changed)
        return changed


class Running:
    """One attempt while it runs. Ends with exactly one of `succeeded`, `failed`, `cancelled`, `skipped`."""

    def __init__(self, attempts: Attempts, candidate: Candidate, number: int) -> None:
        self._attempts = attempts
        self._shared = attempts._shared
        self._number = number
        self._began_s = self._shared.clock.monotonic()
        self._admission: Admission | None = None
        self.candidate = candidate

    def waits(self, wait_s: float) -> None:
        """Our own rate limit holds it back."""
        self._change(outcome="waiting", wait_s=wait_s)

    def begins(self) -> bool:
        """Something is about to be sent. False where the breaker does not let it pass any more."""
        now_s = self._shared.clock.monotonic()
        breaker = self._shared.breakers[self.candidate.domain]
        self._admission = breaker.begin(now_s, forced=self.candidate.view.blocked)
        if self._admission is None:
            self.skipped(breaker.view(now_s).reason)
            return False
        self._began_s = now_s
        self._change(outcome="trying", trial=self._admission.trial > 0)
        return True

    def commits(self) -> None:
        self._change(outcome="streaming", ttft_ms=self._elapsed_ms())

    def succeeded(self, usage: Usage, combo: str, run_key: str) -> None:
        candidate, shared = self.candidate, self._shared
        done = self._change(outcome="success", latency_ms=self._elapsed_ms())
        shared.breakers.succeeded(candidate.domain, candidate.credential)
        shared.telemetry.succeeded(
            candidate.name,
            ttft_ms=done.ttft_ms or 0,
            total_ms=done.latency_ms,
            usage=priced(candidate.model, usage),
        )
        shared.memory.completed(combo, run_key, candidate.name)

    def failed(self, failure: ProviderError) -> None:
        candidate, shared = self.candidate, self._shared
        self._attempts.failures.append((candidate.name, failure))
        now_s = shared.clock.monotonic()
        shared.breakers.failed(candidate.domain, candidate.credential, failure, now_s, self._admission)
        shared.telemetry.failed(candidate.name)
        self._ended(failure)

    def held_back(self, failure: ProviderError) -> None:
        """Our own rate limit is in the way for too long: the candidate failed, but nobody is to blame."""
        self._attempts.failures.append((self.candidate.name, failure))
        self._ended(failure)

    def cancelled(self) -> None:
        self._shared.breakers[self.candidate.domain].released(self._admission)
        self._change(outcome="cancelled", kind="cancelled", latency_ms=self._elapsed_ms())

    def skipped(self, reason: str) -> None:
        self._change(outcome="skipped", reason=reason)

    def _ended(self, failure: ProviderError) -> None:
        self._change(
            outcome="rejected" if failure.kind == "content_rejected" else "error",
            kind=failure.kind,
            reason=failure.what,
            http_status=failure.status,
            latency_ms=self._elapsed_ms(),
        )

    def _change(self, **changes: Any) -> Attempt:
        return self._attempts.change(self._number, **changes)

    def _elapsed_ms(self) -> int:
        return round((self._shared.clock.monotonic() - self._began_s) * 1000)
