"""What the stages of the pipeline are told, and what they report."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

from kram.base import Data

from .tokens import METER, Meter

DEFAULT_CAP_CHARS = 60_000

Mark: TypeAlias = Literal["", "pinned", "dropped", "shortened"]


class Marks(Data):
    """What the person decided about single entries, by id. An entry has one mark at most."""

    pinned: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    shortened: tuple[str, ...] = ()

    def of(self, entry_id: str) -> Mark:
        for name in ("pinned", "dropped", "shortened"):
            if entry_id in getattr(self, name):
                return name
        return ""

    def marked(self, mark: Mark, ids: Iterable[str]) -> Marks:
        """These ids under `mark` and under no other; "" takes their marks away."""
        wanted = dict.fromkeys(ids)
        kept = {
            name: tuple(one for one in getattr(self, name) if one not in wanted)
            for name in ("pinned", "dropped", "shortened")
        }
        if mark:
            kept[mark] += tuple(wanted)
        return Marks(**kept)


class Checkpoint(Data):
    """What a finished turn came to, in a few sentences that code wrote. `start` and `end` are ids of its first and last entry."""

    start: str
    end: str
    summary: str
    status: str = "completed"


class ViewPolicy(Data):
    """How a view is cut.

    - `tail_messages`, `tail_tools`: the newest entries of each sort that stay as they are while there is room.
    - `stub_above_chars`: where an old tool result becomes a note (0: never); `cap_chars`: what is seen of any one.
    - `headroom`: tokens below the budget at which shaping starts (0: the usual, negative: none). `reserve`: tokens kept for
      the answer (0: by the window).
    - `goal`: tokens that shaping, once begun, gets down to; `limit`: what must not be exceeded. 0: none.
    """

    tail_messages: int = 8
    tail_tools: int = 16
    stub_above_chars: int = 2_000
    cap_chars: int = DEFAULT_CAP_CHARS
    headroom: int = 0
    reserve: int = 0
    always_lod: bool = False
    images: bool = True
    marks: Marks = Marks()
    checkpoints: tuple[Checkpoint, ...] = ()
    goal: int = 0
    limit: int = 0
    meter: Meter = METER


class StageReport(Data):
    """What one stage did: entries and tokens before and after, and the ids it touched (changed or took away)."""

    name: str
    entries_before: int
    entries_after: int
    tokens_before: int
    tokens_after: int
    touched: tuple[str, ...] = ()

    @property
    def saved(self) -> int:
        """Tokens, never below zero."""
        return max(0, self.tokens_before - self.tokens_after)
