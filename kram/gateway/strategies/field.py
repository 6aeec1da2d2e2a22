"""What a strategy looks at, and what it gives back: the same candidates, all of them, in the order they are tried."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from kram.config import Combo
from kram.gateway.affinity import Memory
from kram.gateway.scoring import Scored
from kram.messages import Ranked


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One call's eligible candidates in declared order, with the memory and the dice of its gateway.

    `affine` is the candidate whose cache the conversation's start would meet, "" where that is unknown.
    """

    combo: Combo
    candidates: Sequence[Scored]
    run_key: str
    affine: str
    memory: Memory
    rng: random.Random

    def names(self) -> list[str]:
        return [candidate.name for candidate in self.candidates]


class Strategy(Protocol):
    """Returns every candidate of the field, best first. May not block or raise."""

    def __call__(self, field: Field) -> list[Ranked]: ...


def plain(names: Sequence[str], *, first_reason: str = "") -> list[Ranked]:
    """A ranking without scores; the reason stands at the leader."""
    return [
        Ranked(candidate=name, reasons=(first_reason,) if first_reason and position == 0 else ())
        for position, name in enumerate(names)
    ]


def led_by(names: Sequence[str], leader: str) -> list[str]:
    """The same names with one moved to the front; unchanged where it is not among them."""
    return [leader, *(name for name in names if name != leader)] if leader in names else list(names)
