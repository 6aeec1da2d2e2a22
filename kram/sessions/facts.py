"""Facts that are remembered for later sessions: of one project, or of all projects on this machine.

Each scope holds 2,400 characters, so that a prompt can carry the most of it: who wants to add more has to consolidate first,
and the error lists what is there. A secret is refused instead of masked, since a fact with a hole in it helps nobody.
Rules a caller can break raise `UsageError` with what to do; the store's own failures are `StoreError`.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from kram.base import UsageError
from kram.messages import Fact

from .clean import clean_text
from .rows import Rows
from .words import plain, words

MAX_CHARS = 2_400
"""Of all facts of one scope together."""

_COLUMNS = "seq, workspace, content, pinned, created_at, updated_at"
_ID = re.compile(r"#?m(?P<number>\d{1,15})\Z")


class Facts(Rows):
    """`workspace` is always the project that asks; it sees its own facts and those of all projects."""

    def facts(self, workspace: Path | str) -> list[Fact]:
        """Pinned first, then the latest changed."""
        rows: list[Any] = self._read(
            f"SELECT {_COLUMNS} FROM facts WHERE workspace IN (?, '') ORDER BY pinned DESC, updated_at DESC, seq DESC",
            (str(workspace),),
        )
        return [_fact(row) for row in rows]

    def find_facts(self, workspace: Path | str, query: str, limit: int = 10) -> list[Fact]:
        """Those that hold words beginning with the query's, the most of them first. No query is an error."""
        wanted = [plain(word) for word in words(query).all]
        scored = [(_score(plain(fact.content), wanted), fact) for fact in self.facts(workspace)]
        # Sorting keeps the order of equals: pinned and recent ones lead.
        best = sorted((pair for pair in scored if pair[0]), key=lambda pair: -pair[0])
        return [fact for _, fact in best[:limit]]

    def add_fact(self, workspace: Path | str, content: str, *, everywhere: bool = False, pinned: bool = False) -> Fact:
        """A new fact. Raises `UsageError` for nothing, for a secret, and for more than fits."""
        kept, place, now = self._acceptable(content), "" if everywhere else str(workspace), self._clock.now_ns()
        with self._writing() as db:
            known = db.execute(f"SELECT {_COLUMNS} FROM facts WHERE workspace = ?", (place,)).fetchall()
            for row in known:
                if (same := _fact(row)).content == kept:
                    raise UsageError(f"This is known already, as #{same.id}")
            _check_room(known, kept, place)
            cursor = db.execute(
                "INSERT INTO facts (workspace, content, pinned, created_at, updated_at) VALUES (?, ?, ?, ?, ?)",
                (place, kept, pinned, now, now),
            )
            return _one(db, int(cursor.lastrowid or 0))

    def change_fact(
        self,
        workspace: Path | str,
        fact_id: str,
        *,
        content: str | None = None,
        everywhere: bool | None = None,
        pinned: bool | None = None,
    ) -> Fact:
        """Other words, another scope, pinned or not; what is None stays. Raises `UsageError` like `add_fact`."""
        kept = None if content is None else self._acceptable(content)
        with self._writing() as db:
            before = _visible(db, workspace, fact_id)
            place = before.workspace if everywhere is None else "" if everywhere else str(workspace)
            after = before.content if kept is None else kept
            number = int(before.id[1:])
            if after != before.content or place != before.workspace:
                others = db.execute(
                    f"SELECT {_COLUMNS} FROM facts WHERE workspace = ? AND seq != ?", (place, number)
                ).fetchall()
                _check_room(others, after, place)
            db.execute(
                "UPDATE facts SET content = ?, workspace = ?, pinned = ?, updated_at = ? WHERE seq = ?",
                (after, place, before.pinned if pinned is None else pinned, self._clock.now_ns(), number),
            )
            return _one(db, number)

    def remove_fact(self, workspace: Path | str, fact_id: str) -> Fact:
        """What was removed. Raises `UsageError` for an id that is not there."""
        with self._writing() as db:
            gone = _visible(db, workspace, fact_id)
            db.execute("DELETE FROM facts WHERE seq = ?", (int(gone.id[1:]),))
        return gone

    def _acceptable(self, content: str) -> str:
        """On one line, so that a fact can never look like a part of the prompt of its own."""
        kept = " ".join(content.split())
        if not kept:
            raise UsageError("There is nothing to remember")
        if clean_text(kept, self._redactor) != kept:
            raise UsageError("This holds a secret and is not kept", todo="Say where it is found instead")
        return kept


def _check_room(others: Iterable[tuple[Any, ...]], content: str, place: str) -> None:
    facts = [_fact(row) for row in others]
    used = sum(len(fact.content) for fact in facts)
    if used + len(content) > MAX_CHARS:
        scope = "project's" if place else "global"
        listed = "\n".join(f"#{fact.id} {fact.content}" for fact in facts)
        raise UsageError(
            f"The {scope} memory is full: {used} of {MAX_CHARS} characters are used, this needs {len(content)}",
            todo=f"Join, shorten or remove some of these first:\n{listed}",
        )


def _visible(db: sqlite3.Connection, workspace: Path | str, fact_id: str) -> Fact:
    found = _ID.match(fact_id.strip())
    row = (
        found
        and db.execute(
            f"SELECT {_COLUMNS} FROM facts WHERE seq = ? AND workspace IN (?, '')",
            (int(found["number"]), str(workspace)),
        ).fetchone()
    )
    if not row:
        raise UsageError(
            f"There is no fact '{fact_id[:40]}'", todo="Ids look like m3; /memory and memory_search show them"
        )
    return _fact(row)


def _one(db: sqlite3.Connection, number: int) -> Fact:
    return _fact(db.execute(f"SELECT {_COLUMNS} FROM facts WHERE seq = ?", (number,)).fetchone())


def _fact(row: tuple[Any, ...]) -> Fact:
    seq, workspace, content, pinned, created, updated = row
    return Fact(
        id=f"m{seq}",
        workspace=workspace,
        content=content,
        pinned=bool(pinned),
        created_at=created,
        updated_at=updated,
    )


def _score(content: str, wanted: Iterable[str]) -> int:
    """How many of the words stand at the beginning of one of the content's."""
    return sum(bool(re.search(rf"(?<![^\W_]){re.escape(word)}", content)) for word in wanted)
