"""Keys that were meant for something else: a dialog that appears under typing fingers counts none until they rest."""

from __future__ import annotations

import time
from collections.abc import Callable

GUARD_S = 0.4


class KeyGuard:
    """`open` says whether a key counts now. A key that comes too early starts the wait anew."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic, *, guard_s: float = GUARD_S) -> None:
        self._monotonic = monotonic
        self._guard_s = guard_s
        self._since = monotonic()

    def restart(self) -> None:
        self._since = self._monotonic()

    def open(self) -> bool:
        if self._monotonic() - self._since >= self._guard_s:
            return True
        self.restart()
        return False
