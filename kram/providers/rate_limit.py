"""Our own limits on how often a provider is asked: two token buckets, a second's and a minute's, shared by all its users.

A request takes a token from both and waits for the later one. Waiting is fair (first come, first served), and who gives up
waiting gives the tokens back.
"""

from __future__ import annotations

from collections.abc import Callable

from kram.base import Clock
from kram.config import RateLimit


class _Bucket:
    """Holds at most `burst` tokens and gains `rate` of them a second. Below zero, somebody is waiting."""

    def __init__(self, rate: float, burst: float, now_s: float) -> None:
        self._rate = rate
        self._burst = max(1.0, burst)
        self._tokens = self._burst
        self._at_s = now_s

    def take(self, now_s: float) -> float:
        """Takes one token; seconds until it is there."""
        self._tokens = min(self._burst, self._tokens + (now_s - self._at_s) * self._rate) - 1
        self._at_s = now_s
        return max(0.0, -self._tokens / self._rate)

    def give_back(self) -> None:
        self._tokens = min(self._burst, self._tokens + 1)


class Limiter:
    """The buckets of one provider; a minute's holds a full minute. Make it with `limiter_for`."""

    def __init__(self, limit: RateLimit, clock: Clock) -> None:
        self._clock = clock
        now_s = clock.monotonic()
        self._buckets: list[_Bucket] = []
        if limit.per_second > 0:
            self._buckets.append(_Bucket(limit.per_second, limit.burst or limit.per_second, now_s))
        if limit.per_minute > 0:
            burst = limit.per_minute if limit.per_second > 0 or not limit.burst else limit.burst
            self._buckets.append(_Bucket(limit.per_minute / 60, burst, now_s))

    def reserve(self) -> float:
        """Takes a place; seconds until its turn. `give_back` where it is not used."""
        now_s = self._clock.monotonic()
        return max((bucket.take(now_s) for bucket in self._buckets), default=0.0)

    def give_back(self) -> None:
        for bucket in self._buckets:
            bucket.give_back()

    async def wait(self, on_wait: Callable[[float], None] = lambda _: None) -> None:
        """Waits for a place; `on_wait` is told the seconds first, also when there are none. Cancelled, it took nothing."""
        wait_s = self.reserve()
        try:
            on_wait(wait_s)
            if wait_s > 0:
                await self._clock.sleep(wait_s)
        except BaseException:
            self.give_back()
            raise


def limiter_for(limit: RateLimit, clock: Clock) -> Limiter | None:
    """None where nothing is limited."""
    return Limiter(limit, clock) if limit.per_second > 0 or limit.per_minute > 0 else None
