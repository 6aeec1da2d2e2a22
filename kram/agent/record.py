"""The open session's record: written to the store first, then told to the subscribers.

Holds the entries since the last compaction in memory, so that a step never reads the database again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from kram.events import Emit, EntryAdded
from kram.messages import Entry, Kind, Route
from kram.sessions import DecisionRecord, Store

FLUSH_S = 0.25
"""How much streamed text a killed process may lose, in seconds."""


class Record:
    """One session, one writer. Every method that writes has written when it returns; raises `StoreError`."""

    def __init__(self, store: Store, session_id: str, entries: Sequence[Entry], emit: Emit) -> None:
        self._store = store
        self.session_id = session_id
        self._entries = list(entries)
        self._emit = emit
        self._call_ids = {entry.tool_call_id for entry in entries if entry.kind == Kind.TOOL_CALL}

    @property
    def entries(self) -> list[Entry]:
        """What a request is built from: everything since the last compaction, in order."""
        return self._entries

    def append(self, *entries: Entry) -> list[Entry]:
        """Stores entries in one transaction and returns them with their time."""
        if not entries:
            return []
        stored = self._store.append(self.session_id, *entries)
        self._entries.extend(stored)
        self._call_ids.update(entry.tool_call_id for entry in stored if entry.kind == Kind.TOOL_CALL)
        for entry in stored:
            self._emit(EntryAdded(entry=entry))
        return stored

    def call_ids(self) -> set[str]:
        """The ids of all calls on record; new calls take others, and adding to the set reserves them."""
        return self._call_ids

    def compact(self, marker: Entry, subsumed: Sequence[Entry]) -> None:
        """Stores a compaction and hides what it stands for, in one transaction."""
        gone = {entry.id for entry in subsumed}
        marker = self._store.compact(self.session_id, marker, sorted(gone))
        kept = [entry for entry in self._entries if entry.id not in gone and entry.kind != Kind.COMPACTION]
        self._entries = sorted([*kept, marker], key=lambda entry: (entry.created_at, entry.id))
        self._emit(EntryAdded(entry=marker))

    def decide(self, decision: DecisionRecord) -> None:
        """Stores a decision; it must be there before the effect starts."""
        self._store.decide(self.session_id, decision)

    def save_route(self, route: Route) -> None:
        """Keeps the trace of one model call."""
        self._store.save_route(self.session_id, route)

    def save_partial(self, entry_id: str, text: str, thinking: str, model: str) -> None:
        """Keeps the text of a message that is still being written."""
        self._store.save_partial(self.session_id, entry_id, text, thinking, model)


class PartialWriter:
    """Saves a growing message at most every 250 ms, and once more at rest. `close` stops the timer."""

    def __init__(self, record: Record, entry_id: str) -> None:
        self._record = record
        self._entry_id = entry_id
        self._text: list[str] = []
        self._thinking: list[str] = []
        self._timer: asyncio.TimerHandle | None = None
        self.model = ""

    def text(self, piece: str) -> None:
        self._text.append(piece)
        self._schedule()

    def thinking(self, piece: str) -> None:
        self._thinking.append(piece)
        self._schedule()

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _schedule(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(FLUSH_S, self._flush)

    def _flush(self) -> None:
        self._timer = None
        self._record.save_partial(self._entry_id, "".join(self._text), "".join(self._thinking), self.model)
