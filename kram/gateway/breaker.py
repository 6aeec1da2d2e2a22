"""Circuit breakers: a candidate that keeps failing rests, and one real trial brings it back.

    closed --3 counted failures in a row--> open --30 s--> half-open --one trial--> closed | open again, twice as long

One breaker guards one failure domain and model (accounts that share a key at one address are one domain). Looking never
changes anything: only an attempt that really starts takes the trial. A 429 is not a failure but a cooldown
(and whoever says how long to stay away is obeyed); a missing model puts that model out of reach without being an outage.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from kram.base import Data
from kram.providers import ProviderError

State: TypeAlias = Literal["closed", "open", "half-open"]

UNCOUNTED = frozenset({"invalid_request", "context_overflow", "cancelled", "rate_limit", "model_missing", "auth"})
"""Failure kinds that say nothing about the health of a server."""

THRESHOLD = 3
OPEN_S = 30.0
MAX_OPEN_S = 600.0
TRIAL_S = 30.0
COOLDOWN_S = 5.0
MISSING_S = 3600.0


class BreakerView(Data):
    """What ranking and screens see. `until_s` is the monotonic time at which waiting ends, 0 where nothing waits.

    `blocked`: no wait will mend it, but a person might. `trying`: its one trial is under way.
    """

    state: State
    allowed: bool
    blocked: bool = False
    trying: bool = False
    reason: str = ""
    until_s: float = 0.0


class Admission(Data):
    """Leave to attempt something. `trial` is the number of a half-open breaker's one trial, 0 for an ordinary attempt."""

    trial: int = 0


class Breaker:
    """One failure domain and model. Times are seconds of a monotonic clock, passed in.

    Whoever begins an attempt hands its admission back with the outcome, so that a late failure from before the rest is
    never taken for the trial's.
    """

    def __init__(self) -> None:
        self._failures = 0
        self._open_until = 0.0
        self._open_for = OPEN_S
        self._opened = False
        self._trials = 0
        self._trial = 0
        self._trial_until = 0.0
        self._cooldown_until = 0.0
        self._cooldown_reason = ""
        self._blocked_until = 0.0
        self._blocked_reason = ""

    def view(self, now_s: float) -> BreakerView:
        """The state at a time; changes nothing."""
        state = self._state(now_s)
        if now_s < self._blocked_until:
            return BreakerView(
                state=state, allowed=False, blocked=True, reason=self._blocked_reason, until_s=self._blocked_until
            )
        if now_s < self._cooldown_until:
            wait = f"{self._cooldown_reason} for another {self._cooldown_until - now_s:.0f} s"
            return BreakerView(state=state, allowed=False, reason=wait, until_s=self._cooldown_until)
        if state == "open":
            failures = "one failure" if self._failures == 1 else f"{self._failures} failures"
            wait = f"resting for another {self._open_until - now_s:.0f} s after {failures}"
            return BreakerView(state=state, allowed=False, reason=wait, until_s=self._open_until)
        if state == "half-open" and self._trial and now_s < self._trial_until:
            return BreakerView(
                state=state, allowed=False, trying=True, reason="its one trial is under way", until_s=self._trial_until
            )
        return BreakerView(state=state, allowed=True)

    def begin(self, now_s: float, *, forced: bool = False) -> Admission | None:
        """An attempt starts; None where it may not (any more), since another took the trial first.

        `forced` passes over a block (a refused key, a missing model), which a person may have mended meanwhile.
        """
        view = self.view(now_s)
        if not view.allowed and not (forced and view.blocked):
            return None
        if view.state != "half-open":
            return Admission()
        self._trials += 1
        self._trial, self._trial_until = self._trials, now_s + TRIAL_S
        return Admission(trial=self._trial)

    def succeeded(self) -> None:
        self._failures = 0
        self._opened = False
        self._open_for = OPEN_S
        self._trial = 0
        self._blocked_until = 0.0

    def failed(self, failure: ProviderError, now_s: float, admission: Admission | None = None) -> None:
        """Counts a failure by its kind; every kind frees the trial that it ended."""
        trial = self._ends(admission)
        limited = failure.kind == "rate_limit"
        if limited or failure.retry_after_s:
            wait_s = COOLDOWN_S if failure.retry_after_s is None else failure.retry_after_s
            self._cooldown_until = max(self._cooldown_until, now_s + wait_s)
            self._cooldown_reason = "rate limited" if limited else "asked to be left alone"
        if failure.kind == "model_missing":
            self.block(now_s, "the model is not there")
        elif failure.kind == "auth":
            self.block(now_s, "its key may not use it" if failure.status == 403 else "its key was refused")
        if failure.kind in UNCOUNTED:
            return
        self._failures += 1
        if trial:
            self._open_for = min(self._open_for * 2, MAX_OPEN_S)
        if trial or (self._failures >= THRESHOLD and not self._opened):
            self._opened = True
            self._open_until = now_s + self._open_for

    def released(self, admission: Admission | None = None) -> None:
        """An attempt ended without a verdict (cancelled)."""
        self._ends(admission)

    def block(self, now_s: float, reason: str) -> None:
        self._blocked_until, self._blocked_reason = now_s + MISSING_S, reason

    def _ends(self, admission: Admission | None) -> bool:
        """Whether an attempt was the trial that is under way; frees its place."""
        if admission is None or not admission.trial or admission.trial != self._trial:
            return False
        self._trial = 0
        return True

    def _state(self, now_s: float) -> State:
        if not self._opened:
            return "closed"
        return "open" if now_s < self._open_until else "half-open"


class Breakers:
    """All breakers of a process, made on first use: one for each failure domain, and one for each key that was used.

    A refused key takes all models of its account out of reach; every other failure concerns one model of it.
    """

    def __init__(self) -> None:
        self._breakers: dict[str, Breaker] = {}

    def __getitem__(self, domain: str) -> Breaker:
        return self._breakers.setdefault(domain, Breaker())

    def forget(self, account: str) -> None:
        """Everything known of an account, which is another one now."""
        for domain in [one for one in self._breakers if one.startswith(f"{account}/")]:
            del self._breakers[domain]

    def view(self, domain: str, credential: str, now_s: float) -> BreakerView:
        refused = self[credential].view(now_s)
        return refused if refused.blocked else self[domain].view(now_s)

    def failed(
        self, domain: str, credential: str, failure: ProviderError, now_s: float, admission: Admission | None
    ) -> None:
        self[domain].failed(failure, now_s, admission)
        if failure.kind == "auth" and failure.status != 403:
            self[credential].failed(failure, now_s)

    def succeeded(self, domain: str, credential: str) -> None:
        self[domain].succeeded()
        self[credential].succeeded()
