"""Kept facts as the model and the person read them."""

from __future__ import annotations

from collections.abc import Sequence

from kram.messages import Fact


def fact_line(fact: Fact) -> str:
    """`#m3 [project, pinned] words`."""
    pinned = ", pinned" if fact.pinned else ""
    return f"#{fact.id} [{fact.scope}{pinned}] {fact.content}"


def facts_text(facts: Sequence[Fact]) -> str:
    return "\n".join(fact_line(fact) for fact in facts)


def used_chars(facts: Sequence[Fact], scope: str) -> int:
    return sum(len(fact.content) for fact in facts if fact.scope == scope)
