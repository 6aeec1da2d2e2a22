"""What the stages of the pipeline are told, and what they report."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, TypeAlias

from kram.base import Data
from kram.messages import Entry

from .tokens import METER, Meter

DEFAULT_CAP_CHARS = 60_000

Mark: TypeAlias = Literal["", "pinned", "dropped", "shortened"]


class Marks(Data):
    """What the person decided about single entries, by id. An entry has one mark at most."""

    pinned: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    shortened: tuple[str, ...] = ()

    def by_id(self) -> dict[str, Mark]:
        """Entry id -> its mark."""
        found: dict[str, Mark] = dict.fromkeys(self.shortened, "shortened")
        found |= dict.fromkeys(self.dropped, "dropped")
        found |= dict.fromkeys(self.pinned, "pinned")
        return found

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


class Costs:
    """What entries cost, remembered by object: a session's entries are counted again and again and never change.

    Forgets everything when what they are counted by changes, and when it grows past `limit`.
    """

    def __init__(self, limit: int = 50_000) -> None:
        self._limit = limit
        self._counted_by: tuple[object, ...] = ()
        # The entry is kept beside its cost: an identity is only good for as long as the object lives.
        self._known: dict[int, tuple[Entry, int]] = {}

    def of(self, entry: Entry, policy: ViewPolicy, count: Callable[[], int]) -> int:
        counted_by = (policy.meter, policy.cap_chars, policy.images)
        if counted_by != self._counted_by or len(self._known) > self._limit:
            self._known.clear()
            self._counted_by = counted_by
        found = self._known.get(id(entry))
        if found is None:
            found = self._known[id(entry)] = (entry, count())
        return found[1]


class Uncounted(Costs):
    """Remembers nothing."""

    def of(self, entry: Entry, policy: ViewPolicy, count: Callable[[], int]) -> int:
        return count()


class ViewPolicy(Data):
    """How a view is cut.

    - `tail_messages`, `tail_tools`: the newest entries of each sort that stay as they are while there is room.
    - `stub_above_chars`: where an old tool result becomes a note (0: never); `cap_chars`: what is seen of any one.
    - `headroom`: tokens below the budget at which shaping starts (0: the usual, negative: none). `reserve`: tokens kept for
      the answer (0: by the window).
    - `goal`: tokens that shaping, once begun, gets down to; `limit`: what must not be exceeded. 0: none.
    - `meter` counts; `costs` remembers what was counted, where it is a session's own.
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
    costs: Costs = Uncounted()


class StageReport(Data):
    """What one stage did: entries and tokens before and after, and the ids it touched (changed or took away). Where it
    touched nothing, tokens are not counted and 0."""

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
