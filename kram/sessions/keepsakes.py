"""Small things a person expects to find again: earlier prompts, the unsent draft, and values kept under a scope."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from kram.messages import from_json

from .clean import clean_json, clean_text
from .rows import Rows

MAX_PROMPTS = 1_000
"""Kept for each workspace."""

_DRAFT = "draft"


class Keepsakes(Rows):
    """All methods raise `StoreError`."""

    def prompts(self, workspace: Path | str, limit: int = 500) -> list[str]:
        """Earlier prompts, oldest first."""
        rows: list[Any] = self._read(
            "SELECT text FROM prompts WHERE workspace = ? ORDER BY seq DESC LIMIT ?", (str(workspace), limit)
        )
        return [text for (text,) in reversed(rows)]

    def add_prompt(self, workspace: Path | str, text: str) -> None:
        """Blank text and the same text twice in a row are not kept."""
        kept, place = clean_text(text, self._redactor), str(workspace)
        if not kept.strip() or self.prompts(place, 1) == [kept]:
            return
        with self._writing() as db:
            db.execute("INSERT INTO prompts (workspace, text) VALUES (?, ?)", (place, kept))
            db.execute(
                "DELETE FROM prompts WHERE workspace = ?1 AND seq <= "
                "(SELECT seq FROM prompts WHERE workspace = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ?2)",
                (place, MAX_PROMPTS),
            )

    def draft(self, workspace: Path | str) -> str:
        """What was written there and never sent; "" where there is nothing."""
        raw = self.get_state(str(workspace), _DRAFT)
        try:
            return from_json(raw, str) if raw else ""
        except msgspec.MsgspecError:
            return ""

    def set_draft(self, workspace: Path | str, text: str) -> None:
        self.put_state(str(workspace), _DRAFT, text)

    def put_state(self, scope: str, key: str, value: object) -> None:
        """Keeps a small value under a scope (a session's id, a workspace's path, or a name of its own)."""
        body = clean_json(value, self._redactor)
        with self._writing() as db:
            db.execute("INSERT OR REPLACE INTO states (scope, key, body) VALUES (?, ?, ?)", (scope, key, body))

    def get_state(self, scope: str, key: str) -> bytes | None:
        """Its JSON, None where there is none."""
        rows: list[Any] = self._read("SELECT body FROM states WHERE scope = ? AND key = ?", (scope, key))
        return rows[0][0] if rows else None

    def states(self, scope: str, prefix: str) -> dict[str, bytes]:
        """All values of a scope whose keys begin with `prefix`: key to JSON, in order of the keys."""
        rows: list[Any] = self._read(
            "SELECT key, body FROM states WHERE scope = ? AND key >= ? AND key < ? ORDER BY key",
            (scope, prefix, prefix + "\U0010ffff"),
        )
        return {str(key): body for key, body in rows}
