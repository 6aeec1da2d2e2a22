"""The durable store: one SQLite file for all sessions. Whatever a method wrote is on disk when it returns.

    heads      sessions as a list           entries    what was said and done     decisions   why it was done, and by whom
    keepsakes  prompts, drafts, values      leases     one writer a session       salvage     when the file is damaged
    search     words of earlier sessions    facts      what is remembered for later sessions
    takeover   sessions from elsewhere

All methods raise `StoreError`. What is stored carries no secrets (see `clean`).
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from types import TracebackType

from kram.base import Clock, Redactor

from .connection import connect, told
from .decisions import Decisions
from .errors import DamagedStore, StoreError
from .facts import Facts
from .heads import Heads
from .keepsakes import Keepsakes
from .salvage import is_damaged, repair
from .search import Search
from .takeover import TakeOver


class Store(Heads, Search, TakeOver, Decisions, Keepsakes, Facts):
    """Open with `open`, close with `close` or `with`. Belongs to one thread at a time.

    `salvaged` says so where the file was found damaged and what could be read was taken over; "" otherwise.
    """

    salvaged: str = ""

    @classmethod
    def open(cls, path: Path, clock: Clock, redactor: Redactor | None = None) -> Store:
        """Opens or makes the file. Without a redactor only the shapes of well-known keys are taken out."""
        note = ""
        with told(path):
            if is_damaged(path):
                note = repair(path, clock.now_ns())
            try:
                connection = connect(path)
            except DamagedStore:
                note = repair(path, clock.now_ns())
                connection = connect(path)
        store = cls(connection, path, clock, redactor or Redactor())
        store.salvaged = note
        return store

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Gives back what it held. A lease that cannot be given back (disk full) ends with the process."""
        for held in tuple(self._held):
            with suppress(StoreError):
                self.release(held)
        with suppress(StoreError), told(self._path):
            self._db.close()
