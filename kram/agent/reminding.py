"""Which reminders ride on the next call. Counts and remembers what the rules in `kram.context` need; nothing is stored."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from kram.base import NotAFile, content_hash, read_bytes
from kram.context import PLAN, PLAN_EVERY, PLAN_OVER, answers, changed_files, todo_due, todo_reminder
from kram.events import Todo
from kram.messages import Entry
from kram.permissions import Mode
from kram.workspace import ReadLedger, Workspace

Reminder: TypeAlias = tuple[str, str]

MAX_FILES = 200
"""The files read last are looked at; a look is one `stat` where nothing changed."""
MAX_BYTES = 10_000_000
GONE = ""


class Reminding:
    """One session's. `due` is called once before each model call."""

    def __init__(self, workspace: Workspace, ledger: ReadLedger) -> None:
        self._workspace = workspace
        self._ledger = ledger
        self._todo_at = ""
        self._planning = False
        self._plan_at = ""
        self._stats: dict[str, tuple[int, int, str]] = {}
        self._told: dict[str, str] = {}

    async def due(self, entries: Sequence[Entry], todos: Sequence[Todo], mode: Mode) -> list[Reminder]:
        """Id and text of each."""
        newest = entries[-1].id if entries else ""
        found: list[Reminder] = []
        if plan := self._plan(entries, mode, newest):
            found.append(("plan-mode", plan))
        if todo_due(entries, todos, last_reminder=self._todo_at):
            self._todo_at = newest
            found.append(("todo", todo_reminder(todos)))
        if files := changed_files(await self._changed()):
            found.append(("changed-files", files))
        return found

    def _plan(self, entries: Sequence[Entry], mode: Mode, newest: str) -> str:
        """When the mode begins, every ten answers while it lasts, and once when it ends."""
        was, self._planning = self._planning, mode == "plan"
        if not self._planning:
            return PLAN_OVER if was else ""
        at = next((place for place, one in enumerate(entries) if one.id == self._plan_at), -1)
        if was and answers(entries[at + 1 :]) < PLAN_EVERY:
            return ""
        self._plan_at = newest
        return PLAN

    async def _changed(self) -> list[str]:
        """Files that differ from what was read of them; each state of a file is told once."""
        seen = dict(list(self._ledger.seen().items())[-MAX_FILES:])
        now = await asyncio.to_thread(self._hashes, seen)
        changed = [real for real, known in seen.items() if now[real] != known and self._told.get(real) != now[real]]
        self._told |= {real: now[real] for real in changed}
        return [self._workspace.relative(real) for real in changed]

    def _hashes(self, seen: Mapping[str, str]) -> dict[str, str]:
        return {real: self._hash(real) for real in seen}

    def _hash(self, real: str) -> str:
        """Of the content now; GONE where there is none. Read again only when size or time changed."""
        try:
            found = Path(real).stat()
            cached = self._stats.get(real)
            if cached is None or cached[:2] != (found.st_mtime_ns, found.st_size):
                digest = content_hash(read_bytes(Path(real), MAX_BYTES + 1))
                self._stats[real] = (found.st_mtime_ns, found.st_size, digest)
            return self._stats[real][2]
        except (OSError, NotAFile):
            return GONE
