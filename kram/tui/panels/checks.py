"""The doctor's findings, a line each, families under their names."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from kram.base import one_line
from kram.runtime.doctor import MARKS, Finding, State, summed

COLORS: dict[State, str] = {"ok": "$success", "warning": "$warning", "problem": "$error", "skipped": "$foreground 40%"}
TEXT_CHARS = 300


def checks_content(findings: Sequence[Finding]) -> Content:
    rows: list[Content] = []
    family = ""
    for one in findings:
        if one.family != family:
            family = one.family
            rows += [Content("")] if rows else []
            rows.append(Content.styled(family, "bold"))
        dim = "$foreground 50%" if one.state == "skipped" else "$foreground"
        rows.append(
            Content.assemble(
                (f"  {MARKS[one.state]} ", COLORS[one.state]),
                (f"{one_line(one.name, 60)}: {one_line(one.text, TEXT_CHARS)}", dim),
                (f"  → {one_line(one.todo, TEXT_CHARS)}" if one.todo else "", "$accent"),
            )
        )
    return Content("\n").join([*rows, Content(""), Content(summed(findings))])
