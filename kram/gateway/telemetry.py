"""What was measured of each candidate: exponentially weighted means, kept between runs as plain data.

Time to the first meaningful event and total time are two figures and are never compared with each other.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from kram.base import Data
from kram.messages import Usage

ALPHA = 0.2
"""Weight of the newest observation."""


class Measured(Data):
    """Figures of one candidate. Means are None until there is something to average; times in milliseconds."""

    requests: int = 0
    failures: int = 0
    success: float | None = None
    ttft_ms: float | None = None
    total_ms: float | None = None
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cost_usd: float | None = None


class Telemetry:
    """Feed it finished attempts; read `of(candidate)`; `export` and `load` move it between runs."""

    def __init__(self, known: Mapping[str, Measured] | None = None) -> None:
        self._known = dict(known or {})

    def of(self, candidate: str) -> Measured:
        return self._known.get(candidate, Measured())

    def succeeded(self, candidate: str, *, ttft_ms: float, total_ms: float, usage: Usage) -> None:
        old = self.of(candidate)
        cost = old.cost_usd if usage.cost_usd is None else (old.cost_usd or 0.0) + usage.cost_usd
        self._known[candidate] = msgspec.structs.replace(
            old,
            requests=old.requests + 1,
            success=_mean(old.success, 1.0),
            ttft_ms=_mean(old.ttft_ms, ttft_ms),
            total_ms=_mean(old.total_ms, total_ms),
            input=old.input + max(0, usage.input),
            output=old.output + max(0, usage.output),
            cache_read=old.cache_read + max(0, usage.cache_read),
            cost_usd=cost,
        )

    def failed(self, candidate: str) -> None:
        old = self.of(candidate)
        self._known[candidate] = msgspec.structs.replace(
            old, requests=old.requests + 1, failures=old.failures + 1, success=_mean(old.success, 0.0)
        )

    def export(self) -> dict[str, Measured]:
        return dict(self._known)


def _mean(old: float | None, new: float) -> float:
    return new if old is None else old + ALPHA * (new - old)
