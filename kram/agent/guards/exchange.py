"""Repeated exchanges: the same calls with the same results, round after round.

Identical successful rounds are pointed out after 5 and stopped after 10; identical failing rounds after 3 and 4. Polling a
process that is still running is exempt.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from kram.base import Data

from .verdict import OK, GuardResult, NoticeModel, Stop


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
        self._last = ""
        self._count = 0

    def judge(self, exchanges: Sequence[Exchanged]) -> GuardResult:
        if not exchanges or any(one.still_running for one in exchanges):
            self._last, self._count = "", 0
            return OK
        digest = _digest(exchanges)
        self._count = self._count + 1 if digest == self._last else 1
        self._last = digest
        failing = all(one.is_error for one in exchanges)
        warn, stop = self._limits[failing]
        names = ", ".join(sorted({one.tool for one in exchanges}))
        if self._count >= stop:
            return Stop(reason=f"The model repeated the same {names} call {self._count} times with the same result")
        if self._count == warn:
            outcome = "failed the same way" if failing else "gave the same result"
            return NoticeModel(
                tag="tool_loop",
                text=f"The same call of {names} {outcome} {self._count} times in a row. "
                "Do something different, or say what stands in the way.",
            )
        return OK


def _digest(exchanges: Sequence[Exchanged]) -> str:
    digest = hashlib.sha256()
    for one in exchanges:
        for field in (one.tool, one.arguments, one.result):
            digest.update(field.encode("utf-8", "surrogatepass"))
            digest.update(b"\0")
    return digest.hexdigest()
