"""The rows of the context workbench, and what an action on one would mean. Pure: the report in, text out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from textual.content import Content

from kram.base import one_line
from kram.events import ContextEntry, ContextReport

from .context import COLORS

Order: TypeAlias = Literal["sent", "size", "age"]
ORDERS: tuple[Order, ...] = ("sent", "size", "age")
MARKS = {"": (" ", ""), "pinned": ("◆", "$accent"), "dropped": ("✕", "$error"), "shortened": ("…", "$warning")}
NARROW = 84


def ordered(items: Sequence[ContextEntry], order: Order) -> list[ContextEntry]:
    """As they are sent, largest first, or oldest first."""
    if order == "size":
        return sorted(items, key=lambda one: -max(one.tokens, one.full_tokens))
    if order == "age":
        return sorted(items, key=lambda one: -one.age)
    return list(items)


def searched(one: ContextEntry) -> str:
    """What a filter looks in."""
    return f"{one.label} {one.kind} {one.category.replace('_', ' ')} {one.origin} {one.mark} {one.shaped}".lower()


def head(report: ContextReport) -> Content:
    """The window in one line, and the categories under a bar."""
    used = f"{report.used:,} tokens"
    if report.window:
        used = f"{report.used:,} of {report.window:,} tokens, {report.used * 100 // report.window} %"
    target = f" · shaped from {report.target:,} on" if report.target else ""
    return Content.assemble((used, "bold"), (f" · {one_line(report.model, 40)}{target}", "$foreground 60%"))


def bar(report: ContextReport, width: int) -> Content:
    total = report.window or max(1, report.used)
    cells = [(COLORS[place % len(COLORS)], item) for place, item in enumerate(report.items)]
    room = max(1, width - len(cells))
    pieces = [
        Content.styled("█" * (1 + item.tokens * room // total), "$foreground 20%" if item.category == "free" else color)
        for color, item in cells
    ]
    return Content("").join(pieces).truncate(max(1, width))


def legend(report: ContextReport) -> Content:
    pieces: list[Content] = []
    for place, item in enumerate(report.items):
        color = "$foreground 20%" if item.category == "free" else COLORS[place % len(COLORS)]
        pieces.append(Content.assemble(("■ ", color), f"{item.category.replace('_', ' ')} {short(item.tokens)}"))
    return Content("   ").join(pieces)


def row(one: ContextEntry, width: int) -> Content:
    """Mark, size, age and last use in turns, kind, what it is."""
    sign, color = MARKS[one.mark]
    size = short(one.tokens) if one.tokens == one.full_tokens else f"{short(one.tokens)}/{short(one.full_tokens)}"
    facts = f"{size:>11} {_turns(one.age):>4} "
    if width >= NARROW:
        facts += f"{_turns(one.last_use):>4}  {one.kind:<12} {one_line(one.origin, 14):<14} "
    style = "$foreground 45%" if one.mark == "dropped" else ""
    shaped = f"  ({one.shaped})" if one.shaped else ""
    return Content.assemble(
        (sign, color), (facts, "$foreground 65%"), (one_line(one.label, 300), style), (shaped, "$warning")
    )


def columns(width: int) -> Content:
    text = f" {'tokens':>11} {'age':>4} "
    if width >= NARROW:
        text += f"{'used':>4}  {'kind':<12} {'origin':<14} "
    return Content.styled(f"{text}what", "$foreground 50%")


def meaning(one: ContextEntry | None, reread: int, price_usd: float | None) -> Content:
    """What dropping or shortening would free, and what the provider would have to read again for it."""
    if one is None:
        return Content("")
    if one.kind in ("part", "tool"):
        return Content.styled("Part of every request; switched by its source, not here.", "$foreground 60%")
    frees = (
        f"Dropping frees {one.tokens:,} tokens"
        if one.mark != "dropped"
        else f"Restoring adds {one.full_tokens:,} tokens"
    )
    cost = "" if price_usd is None else f", about ${price_usd:.4f}"
    again = (
        f"; {reread:,} tokens behind it are then read anew, uncached{cost}" if reread else "; no cached text is lost"
    )
    return Content.styled(f"{frees}{again}.", "$foreground 75%")


def short(tokens: int) -> str:
    return f"{tokens / 1000:.1f}k" if tokens >= 10_000 else f"{tokens:,}"


def _turns(number: int) -> str:
    return "now" if number == 0 else f"{number}t"
