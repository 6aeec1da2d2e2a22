"""Time that is skipped instead of waited for, while sockets, threads and processes stay real.

A `SwiftLoop` is an event loop whose clock can be moved forward: every timer that falls due in between fires at once. On it
`SwiftClock` sleeps by skipping, and a scripted server may say `skip(31)` in the middle of an answer.
"""

from __future__ import annotations

import asyncio

from tests.support.byte_server import Do

START_S = 1_800_000_000


class SwiftLoop(asyncio.SelectorEventLoop):
    skipped_s = 0.0

    def time(self) -> float:
        return super().time() + self.skipped_s


class SwiftClock:
    """The loop's time. `slept` holds every wait; who waits is the only one who moves time, unless a server does."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    def now_ns(self) -> int:
        return START_S * 10**9 + int(self.monotonic() * 1e9)

    def monotonic(self) -> float:
        return asyncio.get_running_loop().time()

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await _skip(seconds)


class PatientClock(SwiftClock):
    """Sleeps until a test lets time pass (`pass_time`)."""

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await asyncio.sleep(seconds)


async def settle(turns: int = 30) -> None:
    """Lets everything that can go on do so: bytes on loopback sockets arrive, whoever waits for them reads them."""
    for _ in range(turns):
        await asyncio.sleep(0)


async def pass_time(seconds: float) -> None:
    """Time goes by for everybody: what waits for less than this wakes up."""
    await settle()
    await _skip(seconds)
    await settle()


async def _skip(seconds: float) -> None:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, SwiftLoop), "time can be skipped on a SwiftLoop only"
    loop.skipped_s += max(0.0, seconds)
    await asyncio.sleep(0)


def skip(seconds: float) -> Do:
    """A step of a scripted answer: what was sent is read by the other side, then time goes by."""

    async def action() -> None:
        await settle()
        await _skip(seconds)

    return Do(action)
