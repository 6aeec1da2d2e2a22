"""A session as a reader follows it: what was said, calls with their results, the rest. The walk all readable formats share."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from kram.base import Data, one_line
from kram.messages import Entry, Kind
from kram.sessions.records import SessionInfo

SUBJECT_CHARS = 120
_SUBJECTS = ("command", "path", "file_path", "old_path", "pattern", "query", "url", "question", "name", "id", "cmd")


class Exported(Data):
    """What is written: the session, all entries in order, what stands for what, and what else belongs to it."""

    info: SessionInfo
    entries: tuple[Entry, ...]
    folded: dict[str, str] = {}
    todos: tuple[Any, ...] = ()
    turns: tuple[tuple[str, str, str], ...] = ()

    @property
    def title(self) -> str:
        return one_line(self.info.title, 200) or self.info.id

    @property
    def models(self) -> list[str]:
        """Who wrote in it, on one line each."""
        return list(dict.fromkeys(one_line(one.model, 80) for one in self.entries if one.model))


class Said(Data):
    entry: Entry


class Called(Data):
    """A call and its result, None where there is none."""

    call: Entry
    result: Entry | None

    @property
    def arguments(self) -> dict[str, Any]:
        """{} for arguments that are no JSON object."""
        try:
            value = json.loads(self.call.content)
        except (ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}

    @property
    def subject(self) -> str:
        """What it is about, in a few words."""
        found = next((self.arguments[name] for name in _SUBJECTS if isinstance(self.arguments.get(name), str)), "")
        return one_line(found, SUBJECT_CHARS)

    @property
    def diff(self) -> str:
        """The change it made; "" for none."""
        diff = self.result.details.get("diff") if self.result else ""
        return diff if isinstance(diff, str) else ""

    @property
    def output(self) -> str:
        """The text the model got."""
        return self.result.content if self.result else "(no result)"

    @property
    def failed(self) -> bool:
        return self.result is None or self.result.is_error


Piece: TypeAlias = Said | Called


def pieces(entries: Sequence[Entry]) -> Iterator[Piece]:
    """In order; a result stands with its call."""
    results = {one.tool_call_id: one for one in entries if one.kind == Kind.TOOL_RESULT}
    calls = {one.tool_call_id for one in entries if one.kind == Kind.TOOL_CALL}
    for one in entries:
        if one.kind == Kind.TOOL_CALL:
            yield Called(call=one, result=results.get(one.tool_call_id))
        elif one.kind != Kind.TOOL_RESULT or one.tool_call_id not in calls:
            yield Said(entry=one)


def file_name(exported: Exported, suffix: str) -> Path:
    """A name made of the title; never a path."""
    words = "".join(one if one.isalnum() else "-" for one in exported.title.lower())
    slug = "-".join(part for part in words.split("-") if part)[:40].strip("-")
    return Path(f"{slug or 'session'}-{exported.info.id[-6:]}.{suffix}")
