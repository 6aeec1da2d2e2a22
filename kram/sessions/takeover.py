"""A whole session from elsewhere, stored at once: all of it or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from kram.base import session_id
from kram.messages import Entry

from .clean import clean_json, clean_text
from .entries import Entries, title_of


class TakeOver(Entries):
    """All methods raise `StoreError`."""

    def take_over(
        self,
        workspace: Path | str,
        entries: tuple[Entry, ...],
        *,
        title: str = "",
        folded: Mapping[str, str] | None = None,
        states: Mapping[str, object] | None = None,
    ) -> str:
        """Makes a session of these entries, in one transaction, and returns its id.

        Times are kept where they are known and in order. `folded` names what stands for an entry, `states` values to keep.
        """
        made, now = session_id(), self._clock.now_ns()
        stamped = _stamped(entries, now)
        first = stamped[0].created_at if stamped else now
        with self._writing() as db:
            db.execute(
                "INSERT INTO sessions (id, title, workspace, parent, created_at, updated_at, entry_count) "
                "VALUES (?, ?, ?, '', ?, ?, ?)",
                (made, clean_text(title, self._redactor), str(workspace), min(first, now), now, len(stamped)),
            )
            stored = [self._insert(db, made, one) for one in stamped]
            db.executemany(
                "UPDATE entries SET subsumed_by = ? WHERE session_id = ? AND id = ?",
                [(marker, made, entry_id) for entry_id, marker in (folded or {}).items()],
            )
            for key, value in (states or {}).items():
                body = clean_json(value, self._redactor)
                db.execute("INSERT INTO states (scope, key, body) VALUES (?, ?, ?)", (made, key, body))
            if not title:
                db.execute("UPDATE sessions SET title = ? WHERE id = ?", (title_of(stored), made))
        return made

    def folded(self, session: str) -> dict[str, str]:
        """Entry id -> id of the compaction that stands for it."""
        rows = self._read("SELECT id, subsumed_by FROM entries WHERE session_id = ? AND subsumed_by != ''", (session,))
        return {str(entry_id): str(marker) for entry_id, marker in rows}


def _stamped(entries: tuple[Entry, ...], now: int) -> list[Entry]:
    """With times that follow the order and never lie ahead: an unknown one is just behind the entry before it.

    Equal times stay where the ids are in order, since (time, id) is the order of a session.
    """
    known = [one.created_at for one in entries if 0 < one.created_at <= now]
    at = min(known, default=now - len(entries)) - 1
    before = ""
    stamped = []
    for one in entries:
        given = one.created_at if one.created_at <= now else 0
        at = given if given > at or (given == at and one.id > before) else at + 1
        before = one.id
        stamped.append(msgspec.structs.replace(one, created_at=at))
    return stamped
