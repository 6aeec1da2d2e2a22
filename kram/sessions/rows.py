"""What all parts of the store share: the connection, the clock, the lease, and one way to write."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kram.base import Clock, Redactor

from . import leases
from .connection import told, transaction
from .errors import NoSession


class Rows:
    """Base of the store's parts. Belongs to one thread at a time."""

    def __init__(self, connection: sqlite3.Connection, path: Path, clock: Clock, redactor: Redactor) -> None:
        self._db = connection
        self._path = path
        self._clock = clock
        self._redactor = redactor
        self._held: set[str] = set()

    def _read(self, statement: str, values: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
        with told(self._path):
            return self._db.execute(statement, values).fetchall()

    @contextmanager
    def _writing(self, session: str = "") -> Iterator[sqlite3.Connection]:
        """One transaction, on disk when it ends. For a session its lease is taken first, where this store has it not yet:
        raises `SessionBusy` and `NoSession`."""
        with told(self._path), transaction(self._db):
            if session and session not in self._held:
                self._exists(session)
                leases.take(self._db, session)
            yield self._db
        if session:
            self._held.add(session)

    def _exists(self, session: str) -> None:
        if self._db.execute("SELECT 1 FROM sessions WHERE id = ?", (session,)).fetchone() is None:
            raise NoSession(f"There is no session '{session}'", todo="`kram sessions list` shows what there is")

    def _next_at(self, session: str) -> int:
        """A time later than everything of the session, also when the wall clock goes back. Inside a transaction."""
        (newest,) = self._db.execute(
            "SELECT MAX(COALESCE((SELECT MAX(created_at) FROM entries WHERE session_id = ?1), 0), "
            "COALESCE((SELECT MAX(at) FROM decisions WHERE session_id = ?1), 0))",
            (session,),
        ).fetchone()
        return max(self._clock.now_ns(), int(newest) + 1)
