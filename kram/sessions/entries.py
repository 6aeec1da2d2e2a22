"""Entries and the message that is still being written.

Entries are JSON blobs beside the columns that order and find them. Times are strictly increasing within a session, so that
`(created_at, id)` and the order of writing are the same order.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from kram.base import crash_point
from kram.messages import Entry, Kind, entry, from_json

from .clean import clean_entry, clean_text
from .connection import told
from .rows import Rows

TITLE_CHARS = 60
DAMAGED = "This entry could not be read: it is damaged on disk."


class Partial(NamedTuple):
    """What had come of a message when it was last saved."""

    entry_id: str
    text: str
    thinking: str
    model: str


class Entries(Rows):
    """All methods raise `StoreError`; those that write also `NoSession` and `SessionBusy`."""

    def append(self, session: str, *entries: Entry) -> list[Entry]:
        """Stores entries in one transaction and returns them as they were stored: with their times, without secrets.

        What streamed of an answer is dropped with its first entry: from there on the entries are the record.
        """
        if not entries:
            return []
        crash_point("append:before")
        with self._writing(session) as db:
            at = self._next_at(session)
            stamped = [msgspec.structs.replace(one, created_at=at + number) for number, one in enumerate(entries)]
            stored = [self._insert(db, session, one) for one in stamped]
            if any(one.kind in (Kind.ASSISTANT, Kind.TOOL_CALL) for one in stored):
                db.execute("DELETE FROM partials WHERE session_id = ?", (session,))
            self._touch(db, session, stored)
            crash_point("append:inside")
        crash_point("append:after")
        return stored

    def compact(self, session: str, marker: Entry, subsumed: Sequence[str]) -> Entry:
        """Stores the marker and hides what it stands for, in one transaction. The marker keeps its time."""
        crash_point("compact:before")
        with self._writing(session) as db:
            stored = self._insert(db, session, marker)
            crash_point("compact:inside")
            db.executemany(
                "UPDATE entries SET subsumed_by = ? WHERE session_id = ? AND id = ? AND subsumed_by = ''",
                [(marker.id, session, one) for one in subsumed],
            )
            self._touch(db, session, [stored])
        crash_point("compact:after")
        return stored

    def uncompact(self, session: str, marker: str, note: Entry) -> Entry:
        """Takes a compaction back, in one transaction: what it stands for is in view again, the marker is not. The note says
        so in the history; neither reaches the model."""
        crash_point("uncompact:before")
        with self._writing(session) as db:
            stamped = msgspec.structs.replace(note, created_at=self._next_at(session))
            stored = self._insert(db, session, stamped)
            db.execute(
                "UPDATE entries SET subsumed_by = '' WHERE session_id = ? AND subsumed_by = ?", (session, marker)
            )
            crash_point("uncompact:inside")
            db.execute(
                "UPDATE entries SET subsumed_by = ?2 WHERE session_id = ?1 AND id IN (?2, ?3)",
                (session, stored.id, marker),
            )
            self._touch(db, session, [stored])
        crash_point("uncompact:after")
        return stored

    def entries(self, session: str, *, after_compaction: bool = False) -> list[Entry]:
        """In order; with `after_compaction` without what a compaction stands for."""
        where = "AND subsumed_by = ''" if after_compaction else ""
        rows = self._read(
            f"SELECT seq, body FROM entries WHERE session_id = ? {where} ORDER BY created_at, id", (session,)
        )
        return self._decoded(rows)

    def entry(self, session: str, entry_id: str) -> Entry | None:
        """One entry, whatever a compaction did with it; None where there is none."""
        found = self._decoded(
            self._read("SELECT seq, body FROM entries WHERE session_id = ? AND id = ?", (session, entry_id))
        )
        return found[0] if found else None

    def tail(self, session: str, count: int) -> list[Entry]:
        """The last `count` entries, in order."""
        rows = self._read(
            "SELECT seq, body FROM entries WHERE session_id = ? ORDER BY created_at DESC, id DESC LIMIT ?",
            (session, count),
        )
        return self._decoded(reversed(rows))

    def entries_before(self, session: str, before: Entry, count: int) -> list[Entry]:
        """The `count` entries that come before one that is known, in order."""
        rows = self._read(
            "SELECT seq, body FROM entries WHERE session_id = ? AND (created_at, id) < (?, ?) "
            "ORDER BY created_at DESC, id DESC LIMIT ?",
            (session, before.created_at, before.id, count),
        )
        return self._decoded(reversed(rows))

    def save_partial(self, session: str, entry_id: str, text: str, thinking: str, model: str) -> None:
        """Keeps a message that is still being written. A crash of the process loses nothing of it; a power cut may."""
        values = (clean_text(text, self._redactor), clean_text(thinking, self._redactor), model)
        with told(self._path):
            self._db.execute("PRAGMA synchronous = NORMAL")
        try:
            with self._writing(session) as db:
                db.execute(
                    "INSERT OR REPLACE INTO partials (session_id, entry_id, text, thinking, model, at) "
                    "VALUES (?, ?, ?, ?, ?, ?)",
                    (session, entry_id, *values, self._clock.now_ns()),
                )
                crash_point("partial:inside")
        finally:
            with told(self._path):
                self._db.execute("PRAGMA synchronous = FULL")

    def partials(self, session: str) -> list[Partial]:
        """What was being written when a process died."""
        rows: list[Any] = self._read(
            "SELECT entry_id, text, thinking, model FROM partials WHERE session_id = ? ORDER BY at, entry_id",
            (session,),
        )
        return [Partial(*row) for row in rows]

    def drop_partials(self, session: str) -> None:
        """Forgets what was being written: nothing worth keeping came."""
        with self._writing(session) as db:
            db.execute("DELETE FROM partials WHERE session_id = ?", (session,))

    def _insert(self, db: sqlite3.Connection, session: str, one: Entry) -> Entry:
        stored, body = clean_entry(one, self._redactor)
        db.execute(
            "INSERT INTO entries (session_id, id, kind, created_at, body) VALUES (?, ?, ?, ?, ?)",
            (session, stored.id, str(stored.kind), stored.created_at, body),
        )
        return stored

    def _touch(self, db: sqlite3.Connection, session: str, added: Sequence[Entry]) -> None:
        db.execute(
            "UPDATE sessions SET updated_at = ?, entry_count = entry_count + ?, "
            "title = CASE WHEN title = '' THEN ? ELSE title END WHERE id = ?",
            (self._clock.now_ns(), len(added), title_of(added), session),
        )

    def _decoded(self, rows: Iterable[tuple[Any, ...]]) -> list[Entry]:
        found = []
        for seq, body in rows:
            try:
                found.append(from_json(body, Entry))
            except msgspec.MsgspecError:
                found.append(self._unreadable(seq))
        return found

    def _unreadable(self, seq: int) -> Entry:
        """A stand-in for a row whose content is broken, in its place."""
        rows: list[Any] = self._read("SELECT id, created_at FROM entries WHERE seq = ?", (seq,))
        identity, at = rows[0]
        return entry(Kind.NOTIFICATION, DAMAGED, entry_id=str(identity), at_ns=int(at), tag="damaged")


def title_of(entries: Sequence[Entry]) -> str:
    """The first words of the person."""
    text = next((one.content for one in entries if one.kind == Kind.USER and one.content.strip()), "")
    words = " ".join(text[: TITLE_CHARS * 10].split())
    return words if len(words) <= TITLE_CHARS else f"{words[: TITLE_CHARS - 1].rstrip()}…"
