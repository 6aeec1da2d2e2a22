"""The durable store: one SQLite file for all sessions. Whatever a method wrote is on disk when it returns.

Entries are JSON blobs beside the columns that order and find them. Times are strictly increasing within a session, so that
`(created_at, id)` and the order of writing are the same order. All methods raise `StoreError`.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

import msgspec

from kram.base import Clock, crash_point, session_id
from kram.messages import Entry, Kind, from_json, to_json

from . import leases
from .connection import connect, told, transaction
from .errors import NoSession
from .records import DecisionRecord, SessionInfo
from .salvage import is_damaged, salvage, set_aside

TITLE_CHARS = 60
_INFO = (
    "SELECT s.id, s.title, s.workspace, s.created_at, s.updated_at, "
    "(SELECT COUNT(*) FROM entries e WHERE e.session_id = s.id), s.parent FROM sessions s"
)


class Store:
    """Open with `open`, close with `close` or `with`. Belongs to one thread at a time."""

    def __init__(self, connection: sqlite3.Connection, path: Path, clock: Clock, *, salvaged: str = "") -> None:
        self._db = connection
        self._path = path
        self._clock = clock
        self._held: set[str] = set()
        self._last: dict[str, int] = {}
        self.salvaged = salvaged

    @classmethod
    def open(cls, path: Path, clock: Clock) -> Store:
        """Opens or makes the file. A damaged one is set aside and its readable rows are taken over; `salvaged` says so then."""
        note = ""
        with told(path):
            if is_damaged(path):
                aside = set_aside(path, str(clock.now_ns() // 1_000_000_000))
                connection = connect(path)
                saved = salvage(aside, connection)
                note = f"The session store was damaged; {saved} rows were saved, the old file is {aside.name}."
            else:
                connection = connect(path)
        return cls(connection, path, clock, salvaged=note)

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        with told(self._path):
            for held in tuple(self._held):
                self.release(held)
            self._db.close()

    # --- sessions -----------------------------------------------------------------------------------------------

    def create(self, workspace: Path | str, title: str = "", parent: str = "") -> SessionInfo:
        now, new = self._clock.now_ns(), session_id()
        with told(self._path):
            self._db.execute(
                "INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?)", (new, title, str(workspace), parent, now, now)
            )
        return self.get(new)

    def get(self, session: str) -> SessionInfo:
        """Raises `NoSession`."""
        with told(self._path):
            row = self._db.execute(f"{_INFO} WHERE s.id = ?", (session,)).fetchone()
        if row is None:
            raise NoSession(f"There is no session '{session}'", todo="`kram sessions list` shows what there is")
        return _info(row)

    def sessions(self, workspace: Path | str | None = None) -> list[SessionInfo]:
        """Sessions with at least one entry, newest first; of every workspace where none is given."""
        where = "" if workspace is None else "WHERE s.workspace = ?"
        with told(self._path):
            rows = self._db.execute(
                f"{_INFO} {where} ORDER BY s.updated_at DESC", () if workspace is None else (str(workspace),)
            ).fetchall()
        return [info for info in map(_info, rows) if info.entries]

    def rename(self, session: str, title: str) -> None:
        self.get(session)
        with told(self._path):
            self._db.execute("UPDATE sessions SET title = ? WHERE id = ?", (title, session))

    def delete(self, session: str) -> None:
        self.get(session)
        with told(self._path):
            self._db.execute("DELETE FROM sessions WHERE id = ?", (session,))

    def fork(self, session: str) -> SessionInfo:
        """A copy with the same entries under a new id."""
        info = self.get(session)
        copy = self.create(info.workspace, f"{info.title} (copy)" if info.title else "", parent=session)
        with told(self._path), transaction(self._db):
            self._db.execute(
                "INSERT INTO entries (session_id, id, kind, created_at, subsumed_by, body) "
                "SELECT ?, id, kind, created_at, subsumed_by, body FROM entries WHERE session_id = ? ORDER BY seq",
                (copy.id, session),
            )
            self._db.execute("INSERT INTO states SELECT ?, key, body FROM states WHERE scope = ?", (copy.id, session))
        return self.get(copy.id)

    def acquire(self, session: str) -> None:
        """Becomes the session's one writer. Raises `SessionBusy`."""
        with told(self._path), transaction(self._db):
            leases.take(self._db, session)
        self._held.add(session)

    def release(self, session: str) -> None:
        with told(self._path):
            leases.give_back(self._db, session)
        self._held.discard(session)

    # --- entries ------------------------------------------------------------------------------------------------

    def append(self, session: str, *entries: Entry) -> list[Entry]:
        """Stores entries in one transaction and returns them with their times."""
        stored = self._stamped(session, entries)
        crash_point("append:before")
        with told(self._path), transaction(self._db):
            for entry in stored:
                self._insert(session, entry)
                self._db.execute("DELETE FROM partials WHERE session_id = ? AND entry_id = ?", (session, entry.id))
            self._touch(session, stored)
        crash_point("append:after")
        return stored

    def entries(self, session: str, *, after_compaction: bool = False) -> list[Entry]:
        """In order; with `after_compaction` without what a compaction stands for."""
        where = "AND subsumed_by = ''" if after_compaction else ""
        with told(self._path):
            rows = self._db.execute(
                f"SELECT body FROM entries WHERE session_id = ? {where} ORDER BY created_at, id", (session,)
            ).fetchall()
        return [from_json(body, Entry) for (body,) in rows]

    def compact(self, session: str, marker: Entry, subsumed: Sequence[str]) -> None:
        """Stores the marker and hides what it stands for, in one transaction."""
        with told(self._path), transaction(self._db):
            self._insert(session, marker)
            self._db.executemany(
                "UPDATE entries SET subsumed_by = ? WHERE session_id = ? AND id = ? AND subsumed_by = ''",
                [(marker.id, session, one) for one in subsumed],
            )

    def save_partial(self, session: str, entry_id: str, text: str, thinking: str, model: str) -> None:
        """Keeps a message that is still being written; its entry replaces it."""
        with told(self._path):
            self._db.execute(
                "INSERT OR REPLACE INTO partials VALUES (?, ?, ?, ?, ?, ?)",
                (session, entry_id, text, thinking, model, self._clock.now_ns()),
            )

    def partials(self, session: str) -> list[tuple[str, str, str, str]]:
        """What was being written when a process died: entry id, text, thinking, model."""
        with told(self._path):
            return self._db.execute(
                "SELECT entry_id, text, thinking, model FROM partials WHERE session_id = ? ORDER BY at", (session,)
            ).fetchall()

    def _insert(self, session: str, entry: Entry) -> None:
        self._db.execute(
            "INSERT INTO entries (session_id, id, kind, created_at, body) VALUES (?, ?, ?, ?, ?)",
            (session, entry.id, entry.kind, entry.created_at, to_json(entry)),
        )

    def _stamped(self, session: str, entries: Sequence[Entry]) -> list[Entry]:
        """Each entry later than the one before, also when the wall clock goes back."""
        if session not in self._last:
            with told(self._path):
                (newest,) = self._db.execute(
                    "SELECT MAX(created_at) FROM entries WHERE session_id = ?", (session,)
                ).fetchone()
            self._last[session] = newest or 0
        stamped = []
        for entry in entries:
            self._last[session] = at = max(self._clock.now_ns(), self._last[session] + 1)
            stamped.append(msgspec.structs.replace(entry, created_at=at))
        return stamped

    def _touch(self, session: str, entries: Sequence[Entry]) -> None:
        self._db.execute("UPDATE sessions SET updated_at = ? WHERE id = ?", (self._clock.now_ns(), session))
        first = next((entry.content for entry in entries if entry.kind == Kind.USER and entry.content.strip()), "")
        if first:
            title = " ".join(first.split())[:TITLE_CHARS]
            self._db.execute("UPDATE sessions SET title = ? WHERE id = ? AND title = ''", (title, session))

    # --- decisions ----------------------------------------------------------------------------------------------

    def decide(self, session: str, decision: DecisionRecord) -> None:
        """Stores a decision; the effect may start when this has returned."""
        digest = hashlib.sha256(decision.arguments.encode("utf-8", "surrogatepass")).hexdigest()
        now = self._clock.now_ns()
        record = msgspec.structs.replace(decision, hash=digest, at=now)
        crash_point("decide:before")
        with told(self._path):
            self._db.execute(
                "INSERT INTO decisions (session_id, call_id, at, body) VALUES (?, ?, ?, ?)",
                (session, record.call_id, now, to_json(record)),
            )
        crash_point("decide:after")

    def decisions(self, session: str, call_id: str = "") -> list[DecisionRecord]:
        """All of a session, or of one call, in order."""
        where, values = ("AND call_id = ?", (session, call_id)) if call_id else ("", (session,))
        with told(self._path):
            rows = self._db.execute(
                f"SELECT body FROM decisions WHERE session_id = ? {where} ORDER BY seq", values
            ).fetchall()
        return [from_json(body, DecisionRecord) for (body,) in rows]

    # --- small things -------------------------------------------------------------------------------------------

    def prompts(self, workspace: Path | str, limit: int = 500) -> list[str]:
        """Earlier prompts, oldest first."""
        with told(self._path):
            rows = self._db.execute(
                "SELECT text FROM prompts WHERE workspace = ? ORDER BY seq DESC LIMIT ?", (str(workspace), limit)
            ).fetchall()
        return [text for (text,) in reversed(rows)]

    def add_prompt(self, workspace: Path | str, text: str) -> None:
        with told(self._path):
            self._db.execute("INSERT INTO prompts (workspace, text) VALUES (?, ?)", (str(workspace), text))

    def put_state(self, scope: str, key: str, value: object) -> None:
        """Keeps a small value under a scope (a session's id, or a name of its own)."""
        with told(self._path):
            self._db.execute("INSERT OR REPLACE INTO states VALUES (?, ?, ?)", (scope, key, to_json(value)))

    def get_state(self, scope: str, key: str) -> bytes | None:
        """Its JSON, None where there is none."""
        with told(self._path):
            row = self._db.execute("SELECT body FROM states WHERE scope = ? AND key = ?", (scope, key)).fetchone()
        return row[0] if row else None


def _info(row: tuple[str, str, str, int, int, int, str]) -> SessionInfo:
    identity, title, workspace, created, updated, count, parent = row
    return SessionInfo(
        id=identity,
        title=title,
        workspace=workspace,
        created_at=created,
        updated_at=updated,
        entries=count,
        parent=parent,
    )
