"""Findings in words: the gravest state, marks, and the whole as plain text."""

from __future__ import annotations

from collections.abc import Sequence

from .finding import Finding, State

_GRAVEST: tuple[State, ...] = ("problem", "warning")
MARKS: dict[State, str] = {"ok": "✓", "warning": "!", "problem": "✕", "skipped": "–"}


def worst(findings: Sequence[Finding]) -> State:
    """The gravest state there is."""
    states = {finding.state for finding in findings}
    return next((state for state in _GRAVEST if state in states), "ok")


def told(findings: Sequence[Finding]) -> str:
    """All findings as plain text, a line each, with a sum at the end."""
    lines: list[str] = []
    family = ""
    for one in findings:
        if one.family != family:
            family = one.family
            lines += ["", family] if lines else [family]
        lines.append(f"  {MARKS[one.state]} {one.name}: {one.text}" + (f" → {one.todo}" if one.todo else ""))
    return "\n".join([*lines, "", summed(findings)])


def summed(findings: Sequence[Finding]) -> str:
    """How many problems and warnings there are."""
    counts = {state: sum(one.state == state for one in findings) for state in _GRAVEST}
    parts = [f"{number} {state}{'' if number == 1 else 's'}" for state, number in counts.items() if number]
    return ", ".join(parts) if parts else "Everything is in order."
