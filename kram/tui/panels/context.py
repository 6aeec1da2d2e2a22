"""The context panel: what fills the window, with the trigger's own numbers."""

from __future__ import annotations

from textual.content import Content

from kram.base import one_line
from kram.events import ContextReport

BAR = 30
COLORS = ("$primary", "$secondary", "$accent", "$success", "$warning", "$error", "$foreground 60%")


def context_content(report: ContextReport) -> Content:
    """A bar over the window and a row a category."""
    total = report.window or max(1, report.used)
    head = (
        f"{report.used:,} of {report.window:,} tokens" if report.window else f"{report.used:,} tokens, window unknown"
    )
    note = "" if report.exact else f" (estimated, {report.quality})" if report.quality else " (estimated)"
    rows: list[Content] = [Content(f"{head}{note}"), Content(one_line(report.model, 44))]
    bar: list[Content] = []
    for place, item in enumerate(report.items):
        color = "$foreground 20%" if item.category == "free" else COLORS[place % len(COLORS)]
        bar.append(Content.styled("█" * _cells(item.tokens, total, len(report.items)), color))
    rows += [Content(""), Content("").join(bar), Content("")]
    for place, item in enumerate(report.items):
        color = "$foreground 20%" if item.category == "free" else COLORS[place % len(COLORS)]
        name = item.category.replace("_", " ")
        share = f"{item.tokens * 100 / total:5.1f}%"
        rows.append(Content.assemble(("■ ", color), f"{name:<19}{item.tokens:>9,} {share}"))
    return Content("\n").join(rows)


def _cells(tokens: int, total: int, rows: int) -> int:
    """A share of the bar; every category has at least one cell, and the rest is shared by size."""
    return 1 + int(tokens * max(0, BAR - rows) / total)
