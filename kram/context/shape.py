"""How a view was shaped, kept from one request to the next.

Shaping rewrites the old part of a session, and with it a prompt that the provider has cached. So what was decided once
stays decided: the next request shows the same entries the same way, until there is too much again.
"""

from __future__ import annotations

from collections.abc import Sequence

from kram.base import Data
from kram.messages import Entry


class Shape(Data):
    """By entry id: what it was replaced by, and what was taken away. `stages` names what did it, in order."""

    replaced: dict[str, Entry] = {}
    removed: frozenset[str] = frozenset()
    stages: tuple[str, ...] = ()
    by: dict[str, str] = {}
    """Entry id -> the last stage that touched it."""
    target: int = 0
    """Where shaping began when it was made, in tokens."""

    def __bool__(self) -> bool:
        return bool(self.stages)

    def applied(self, entries: Sequence[Entry]) -> list[Entry]:
        return [self.replaced.get(one.id, one) for one in entries if one.id not in self.removed]


UNSHAPED = Shape()


def shape_of(before: Sequence[Entry], after: Sequence[Entry], touched: Sequence[tuple[str, Sequence[str]]]) -> Shape:
    """What turns `before` into `after`; `touched` is each stage's name with the ids it touched."""
    left = {one.id: one for one in after}
    return Shape(
        replaced={one.id: left[one.id] for one in before if one.id in left and left[one.id] is not one},
        removed=frozenset(one.id for one in before if one.id not in left),
        stages=tuple(name for name, ids in touched if ids),
        by={entry_id: name for name, ids in touched for entry_id in ids},
    )
