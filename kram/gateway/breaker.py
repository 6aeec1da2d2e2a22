"""Circuit breakers: a candidate that keeps failing rests, and one real trial brings it back.

    closed --3 counted failures in a row--> open --30 s--> half-open --one trial--> closed | open again, twice as long

One breaker guards one failure domain and model (accounts that share a key at one address are one domain). Looking never
changes anything: only an attempt that really starts takes the trial. A 429 is not a failure but a cooldown; a missing
model puts that model out of reach without being an outage.
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
    """What ranking and screens see. `until_s` is the monotonic time at which waiting ends, 0 where nothing waits."""

    state: State
    allowed: bool
    reason: str = ""
    until_s: float = 0.0


class Breaker:
    """One failure domain and model. Times are seconds of a monotonic clock, passed in."""

    def __init__(self) -> None:
        self._failures = 0
        self._open_until = 0.0
        self._open_for = OPEN_S
        self._opened = False
        self._trial_since: float | None = None
        self._cooldown_until = 0.0
        self._blocked_until = 0.0
        self._blocked_reason = ""

    def view(self, now_s: float) -> BreakerView:
        """The state at a time; changes nothing."""
        if now_s < self._blocked_until:
            return BreakerView(
                state=self._state(now_s), allowed=False, reason=self._blocked_reason, until_s=self._blocked_until
            )
        if now_s < self._cooldown_until:
            wait = f"rate limited for another {self._cooldown_until - now_s:.0f} s"
            return BreakerView(state=self._state(now_s), allowed=False, reason=wait, until_s=self._cooldown_until)
        state = self._state(now_s)
        if state == "open":
            wait = f"resting for another {self._open_until - now_s:.0f} s after {self._failures} failures"
            return BreakerView(state=state, allowed=False, reason=wait, until_s=self._open_until)
        if state == "half-open" and self._trial_running(now_s):
            return BreakerView(state=state, allowed=False, reason="its one trial is under way")
        return BreakerView(state=state, allowed=True)

    def begin(self, now_s: float) -> bool:
        """An attempt starts; False where it may not (any more), since another took the trial first."""
        if not self.view(now_s).allowed:
            return False
        if self._state(now_s) == "half-open":
            self._trial_since = now_s
        return True

    def succeeded(self) -> None:
        self._failures = 0
        self._opened = False
        self._open_for = OPEN_S
        self._trial_since = None

    def failed(self, failure: ProviderError, now_s: float) -> None:
        """Counts a failure by its kind; every kind frees a trial."""
        trial = self._trial_since is not None
        self._trial_since = None
        if failure.kind == "rate_limit":
            wait_s = COOLDOWN_S if failure.retry_after_s is None else failure.retry_after_s
            self._cooldown_until = max(self._cooldown_until, now_s + wait_s)
        elif failure.kind == "model_missing":
            self._block(now_s + MISSING_S, "the model is not there")
        elif failure.kind == "auth":
            self._block(now_s + MISSING_S, "its key was refused")
        if failure.kind in UNCOUNTED:
            return
        self._failures += 1
        if trial:
            self._open_for = min(self._open_for * 2, MAX_OPEN_S)
        if trial or self._failures >= THRESHOLD:
            self._opened = True
            self._open_until = now_s + self._open_for

    def released(self) -> None:
        """A trial ended without a verdict (cancelled)."""
        self._trial_since = None

    def _block(self, until_s: float, reason: str) -> None:
        self._blocked_until, self._blocked_reason = until_s, reason

    def _state(self, now_s: float) -> State:
        if not self._opened:
            return "closed"
        return "open" if now_s < self._open_until else "half-open"

    def _trial_running(self, now_s: float) -> bool:
        return self._trial_since is not None and now_s - self._trial_since < TRIAL_S


class Breakers:
    """All breakers of a process, made on first use."""

    def __init__(self) -> None:
        self._breakers: dict[str, Breaker] = {}

    def __getitem__(self, domain: str) -> Breaker:
        return self._breakers.setdefault(domain, Breaker())

    def forget(self, account: str) -> None:
        """Everything known of an account, which is another one now."""
        for domain in [one for one in self._breakers if one.startswith(f"{account}/")]:
            del self._breakers[domain]
