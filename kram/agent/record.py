"""The open session's record: written to the store first, then told to the subscribers.

Holds the entries since the last compaction in memory, so that a step never reads the database again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import TypeVar

import msgspec

from kram.context import Checkpoint, Costs, Mark, Marks, Shape
from kram.events import Emit, EntryAdded
from kram.messages import Entry, Kind, Route, from_json
from kram.sessions import DecisionRecord, Store

FLUSH_S = 0.25
"""How much streamed text a killed process may lose, in seconds."""

MARKS = "marks"
CHECKPOINT = "checkpoint/"

T = TypeVar("T")


class Record:
    """One session, one writer. Every method that writes has written when it returns; raises `StoreError`."""

    def __init__(
        self, store: Store, session_id: str, entries: Sequence[Entry], emit: Emit, *, call_ids: Iterable[str] = ()
    ) -> None:
        """`entries` since the last compaction; `call_ids` of calls before it, which new calls may not have again."""
        self._store = store
        self.session_id = session_id
        self._entries = list(entries)
        self._emit = emit
        self._call_ids = {entry.tool_call_id for entry in entries if entry.kind == Kind.TOOL_CALL} | set(call_ids)
        self._windows: dict[str, int] = {}
        self._guessed: set[str] = set()
        self.shape = Shape()
        self.costs = Costs()
        self.marks = read_state(store.get_state(session_id, MARKS), Marks) or Marks()
        kept = store.states(session_id, CHECKPOINT)
        self.checkpoints = [one for raw in kept.values() if (one := read_state(raw, Checkpoint)) is not None]

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
        self.shape = Shape()
        self._emit(EntryAdded(entry=marker))

    def uncompact(self, marker_id: str, note: Entry) -> None:
        """Takes a compaction back, in one transaction."""
        stored = self._store.uncompact(self.session_id, marker_id, note)
        self._entries = self._store.entries(self.session_id, after_compaction=True)
        self.shape = Shape()
        self._emit(EntryAdded(entry=stored))

    def mark(self, mark: Mark, ids: Iterable[str]) -> None:
        """Keeps what the person decided about entries; "" takes it back."""
        self.marks = self.marks.marked(mark, ids)
        self._store.put_state(self.session_id, MARKS, self.marks)
        self.shape = Shape()

    def add_checkpoint(self, checkpoint: Checkpoint) -> None:
        self._store.put_state(self.session_id, f"{CHECKPOINT}{checkpoint.start}", checkpoint)
        self.checkpoints.append(checkpoint)

    def window(self, model: str, known: int) -> int:
        """The model's window, or less where it refused a request that should have fitted. In tokens, 0 unknown."""
        refused = self._windows.get(model, 0)
        return min(known, refused) if known and refused else known or refused

    def refused(self, model: str, tokens: int, *, guessed: bool = False) -> None:
        """The model's window is taken as no larger than this. `guessed`: all that is known is that more was too much."""
        self._windows[model] = min(tokens, self._windows.get(model, tokens))
        (self._guessed.add if guessed else self._guessed.discard)(model)

    def guessed(self, model: str) -> bool:
        """Whether the window that counts for this model is a guess."""
        return model in self._guessed

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


def read_state(raw: bytes | None, kind: type[T]) -> T | None:
    """A kept value; None where there is none or it cannot be read."""
    try:
        return from_json(raw, kind) if raw else None
    except msgspec.MsgspecError:
        return None
