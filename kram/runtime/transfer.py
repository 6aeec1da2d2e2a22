"""Sessions out and in: a stored one as a file's text, a file's bytes as a stored session. Works on any store, open or not."""

from __future__ import annotations

from pathlib import Path

import msgspec

from kram.agent import CHECKPOINT, read_state
from kram.base import Data, NotAFile, UsageError, one_line, read_bytes
from kram.context import Checkpoint
from kram.events import Todo
from kram.messages import Entry, Kind, entry
from kram.sessions import Store
from kram.sessions.export import Exported
from kram.sessions.imports import BadImport, Imported, read_import
from kram.sessions.imports.imported import MAX_BYTES

PROGRAMS = {"claude-code": "Claude Code", "codex": "Codex"}


class Taken(Data):
    """A session that was imported: its id here, and where it came from."""

    session_id: str
    form: str
    entries: int
    title: str

    def told(self) -> str:
        program = PROGRAMS.get(self.form, self.form)
        count = "1 entry" if self.entries == 1 else f"{self.entries} entries"
        return f"Imported {count} ({program}) as {self.session_id}: {self.title or '(no title)'}"


def gather(store: Store, session_id: str) -> Exported:
    """Everything an export may hold. Raises `NoSession`."""
    turns = [read_state(raw, Checkpoint) for raw in store.states(session_id, CHECKPOINT).values()]
    return Exported(
        info=store.get(session_id),
        entries=tuple(store.entries(session_id)),
        folded=store.folded(session_id),
        todos=tuple(read_state(store.get_state(session_id, "todos"), tuple[Todo, ...]) or ()),
        turns=tuple((one.start, one.end, one.summary) for one in turns if one is not None),
    )


def take(store: Store, workspace: Path, data: bytes) -> Taken:
    """Stores an exported or foreign session as a new one of this workspace. Raises `BadImport`; then nothing is stored."""
    found = read_import(data)
    states: dict[str, object] = {
        f"{CHECKPOINT}{one.start}": Checkpoint(start=one.start, end=one.end, summary=one.summary) for one in found.turns
    }
    if found.todos:
        states["todos"] = _todos(found)
    entries = (*_origin(found), *found.entries)
    made = store.take_over(workspace, entries, title=found.title, folded=found.folded, states=states)
    return Taken(session_id=made, form=found.form, entries=len(found.entries), title=store.get(made).title)


def take_file(store: Store, workspace: Path, path: Path) -> Taken:
    """As `take`, from a file. Raises `UsageError` for one that cannot be read."""
    try:
        data = read_bytes(path.expanduser().resolve(), MAX_BYTES + 1)
    except (OSError, NotAFile) as failure:
        raise UsageError(f"The file cannot be read: {failure.strerror or failure}", where=str(path)) from failure
    return take(store, workspace, data)


def _todos(found: Imported) -> tuple[Todo, ...]:
    try:
        return msgspec.convert(found.todos, tuple[Todo, ...])
    except msgspec.ValidationError as failure:
        raise BadImport(f"The todo list cannot be read: {failure}") from failure


def _origin(found: Imported) -> tuple[Entry, ...]:
    """What a model has to know about a history that another program made: its tools and paths are not those of here."""
    program = PROGRAMS.get(found.form)
    if program is None:
        return ()
    place = f" in {one_line(found.workspace, 300)}" if found.workspace else ""
    text = f"What follows was held with {program}{place}; its tools had other names. Check what may have changed since."
    return (entry(Kind.NOTIFICATION, text, tag="imported"),)
