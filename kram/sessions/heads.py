"""Sessions as a list: made, named, copied, deleted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from kram.base import crash_point, session_id

from . import leases
from .clean import clean_text
from .records import SessionInfo
from .rows import Rows

_INFO = "SELECT id, title, workspace, created_at, updated_at, entry_count, parent FROM sessions"
_COPIED = {
    "entries": "id, kind, created_at, subsumed_by, body",
    "decisions": "call_id, at, body",
    "routes": "at, body",
}


class Heads(Rows):
    """All methods raise `StoreError`, those that take an id also `NoSession`."""

    def create(self, workspace: Path | str, title: str = "", parent: str = "", *, session: str = "") -> SessionInfo:
        """A new, empty session; without a title it takes the first words of the person."""
        now = self._clock.now_ns()
        info = SessionInfo(
            id=session or session_id(),
            title=clean_text(title, self._redactor),
            workspace=str(workspace),
            created_at=now,
            updated_at=now,
            parent=parent,
        )
        with self._writing() as db:
            db.execute(
                "INSERT INTO sessions (id, title, workspace, parent, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)",
                (info.id, info.title, info.workspace, info.parent, now, now),
            )
        return info

    def get(self, session: str) -> SessionInfo:
        rows = self._read(f"{_INFO} WHERE id = ?", (session,))
        if not rows:
            self._exists(session)
        return _info(rows[0])

    def sessions(self, workspace: Path | str | None = None) -> list[SessionInfo]:
        """Sessions with at least one entry, newest first; of every workspace where none is given."""
        where, values = ("", ()) if workspace is None else ("AND workspace = ?", (str(workspace),))
        rows = self._read(f"{_INFO} WHERE entry_count > 0 {where} ORDER BY updated_at DESC, id", values)
        return [_info(row) for row in rows]

    def rename(self, session: str, title: str) -> None:
        with self._writing() as db:
            self._exists(session)
            db.execute("UPDATE sessions SET title = ? WHERE id = ?", (clean_text(title, self._redactor), session))

    def delete(self, session: str) -> None:
        """With everything that belongs to it. Raises `SessionBusy` while another process writes it."""
        with self._writing() as db:
            self._exists(session)
            leases.free_for_us(db, session)
            db.execute("DELETE FROM states WHERE scope = ?", (session,))
            db.execute("DELETE FROM sessions WHERE id = ?", (session,))
            # The index would keep the words of deleted rows until it is merged at some later time.
            db.execute("INSERT INTO said (said) VALUES ('optimize')")
        self._held.discard(session)

    def fork(self, session: str) -> SessionInfo:
        """A copy under a new id: entries, decisions, routes and state. The original may be open elsewhere meanwhile."""
        info, now = self.get(session), self._clock.now_ns()
        title = f"{info.title} (copy)" if info.title else ""
        copy = msgspec.structs.replace(
            info, id=session_id(), title=title, parent=session, created_at=now, updated_at=now
        )
        with self._writing() as db:
            db.execute(
                "INSERT INTO sessions (id, title, workspace, parent, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)",
                (copy.id, copy.title, copy.workspace, session, now, now),
            )
            for table, columns in _COPIED.items():
                db.execute(
                    f"INSERT INTO {table} (session_id, {columns}) "
                    f"SELECT ?, {columns} FROM {table} WHERE session_id = ? ORDER BY seq",
                    (copy.id, session),
                )
                crash_point("fork:inside")
            db.execute("INSERT INTO states SELECT ?, key, body FROM states WHERE scope = ?", (copy.id, session))
            db.execute(
                "UPDATE sessions SET entry_count = (SELECT COUNT(*) FROM entries WHERE session_id = ?1) WHERE id = ?1",
                (copy.id,),
            )
        return self.get(copy.id)

    def acquire(self, session: str) -> None:
        """Becomes the session's one writer. Raises `SessionBusy`."""
        with self._writing(session):
            pass

    def release(self, session: str) -> None:
        """Another process may write it from now on."""
        with self._writing() as db:
            leases.give_back(db, session)
        self._held.discard(session)


def _info(row: tuple[Any, ...]) -> SessionInfo:
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
