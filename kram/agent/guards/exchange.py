"""Repeated exchanges: the same calls with the same results, round after round, or the same few rounds over and over.

Identical successful rounds are pointed out after 5 and stopped after 10; identical failing rounds after 3 and 4; a cycle of up
to four rounds counts like one. Polling a process that is still running is exempt.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from kram.base import Data

from .verdict import OK, GuardResult, NoticeModel, Stop

LONGEST_CYCLE = 4
KEPT = 48
"""Rounds that are remembered: enough for the longest cycle at the highest count."""


class Exchanged(Data):
    """One call and its result, without ids."""

    tool: str
    arguments: str
    result: str
    is_error: bool = False
    still_running: bool = False


class ExchangeGuard:
    """Feed it every round that had calls."""

    def __init__(self, *, warn: int = 5, stop: int = 10, warn_failing: int = 3, stop_failing: int = 4) -> None:
        self._limits = {False: (warn, stop), True: (warn_failing, stop_failing)}
        self._digests: list[str] = []

    def reset(self) -> None:
        """Forgets what was: the person wants it to go on."""
        self._digests.clear()

    def judge(self, exchanges: Sequence[Exchanged]) -> GuardResult:
        if not exchanges or any(one.still_running for one in exchanges):
            self._digests.clear()
            return OK
        self._digests = [*self._digests[-KEPT:], _digest(exchanges)]
        count, period = _repeats(self._digests)
        failing = all(one.is_error for one in exchanges)
        warn, stop = self._limits[failing]
        names = ", ".join(sorted({one.tool for one in exchanges}))
        what = f"the same {names} call" if period == 1 else f"the same {period} steps, {names} among them,"
        if count >= stop:
            return Stop(reason=f"The model repeated {what} {count} times with the same result")
        if count == warn and len(self._digests) >= warn * period:
            outcome = "failed the same way" if failing else "gave the same result"
            return NoticeModel(
                tag="tool_loop",
                text=f"You repeated {what} and it {outcome} {count} times in a row. "
                "Do something different, or say what stands in the way.",
            )
        return OK


def _repeats(digests: Sequence[str]) -> tuple[int, int]:
    """How often the newest stretch stands in a row at the end, and how many rounds it has. A cycle of several rounds counts
    once it is whole; the shortest stretch that repeats is the one."""
    for period in range(1, LONGEST_CYCLE + 1):
        count = 1
        block = digests[-period:]
        while digests[-period * (count + 1) : -period * count] == block:
            count += 1
        if count > 1:
            return count, period
    return 1, 1


def _digest(exchanges: Sequence[Exchanged]) -> str:
    digest = hashlib.sha256()
    for one in exchanges:
        for field in (one.tool, one.arguments, one.result):
            digest.update(field.encode("utf-8", "surrogatepass"))
            digest.update(b"\0")
    return digest.hexdigest()
