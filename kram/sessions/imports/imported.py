"""What every reader gives: a session that is whole. Nothing is stored here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kram.base import Data, UsageError
from kram.messages import Entry

MAX_BYTES = 500_000_000


class BadImport(UsageError):
    """The file is no session, or one that cannot be read; nothing was changed."""


class Turn(Data):
    """What a finished turn came to, from its first to its last entry by id."""

    start: str
    end: str
    summary: str


class Imported(Data):
    """A session as it will be stored. `form` is the reader's name, `workspace` where it was held ("" unknown).

    `entries` in order; a time of 0 is unknown. `folded`: entry id -> id of the compaction that stands for it.
    """

    form: str
    entries: tuple[Entry, ...]
    title: str = ""
    workspace: str = ""
    folded: Mapping[str, str] = {}
    turns: tuple[Turn, ...] = ()
    todos: tuple[Any, ...] = ()
    notes: tuple[str, ...] = ()
