"""Time, as something that can be passed in.

Wall time orders nothing: it is shown and stored, sequences give the order. Durations and deadlines
use the monotonic clock, so that a clock jump neither stalls a retry nor expires an approval.
"""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Wall clock, monotonic clock and sleep. No method raises; `sleep` is cancellable."""

    def now_ns(self) -> int: ...

    def monotonic(self) -> float: ...

    async def sleep(self, seconds: float) -> None: ...


class SystemClock:
    """The machine's clocks."""

    def now_ns(self) -> int:
        return time.time_ns()

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def iso_utc(at_ns: int) -> str:
    """Nanoseconds since 1970 as ISO 8601 in UTC with milliseconds, e.g. `2026-01-02T03:04:05.006Z`."""
    moment = datetime.fromtimestamp(at_ns / 1e9, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
