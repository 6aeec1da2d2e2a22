"""Strategies that need nothing but the declared order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from kram.base import UsageError
from kram.gateway.candidates import Candidate


class Strategy(Protocol):
    """Returns every candidate, best first. Pure; may not block."""

    def __call__(self, candidates: Sequence[Candidate]) -> list[Candidate]: ...


def priority(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Declared order, every call."""
    return list(candidates)


_STRATEGIES: dict[str, Strategy] = {"": priority, "priority": priority}


def strategy_named(name: str) -> Strategy:
    """Raises `UsageError` naming the known strategies."""
    try:
        return _STRATEGIES[name]
    except KeyError:
        known = ", ".join(sorted(key for key in _STRATEGIES if key))
        raise UsageError(f"Unknown routing strategy '{name}'", todo=f"Use one of: {known}") from None
