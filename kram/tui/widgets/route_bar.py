"""The route bar: which candidate is being tried right now, and how the others fared. One row, never wrapped, no clock.

It is shown where there is something to tell: more than one candidate, or an attempt that failed.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from textual.content import Content
from textual.widgets import Static

from kram import events
from kram.base import Data, one_line
from kram.messages import Attempt
from kram.tui.panels.marks import mark_of

MEDIUM, WIDE = 46, 78
GLYPHS = 5


class Rail(Data):
    """The newest model call: its candidates in the order they are tried, with the last attempt at each."""

    strategy: str = ""
    purpose: str = "turn"
    candidates: tuple[str, ...] = ()
    attempts: tuple[Attempt, ...] = ()

    @property
    def telling(self) -> bool:
        return len(self.candidates) > 1 or any(one.outcome in ("error", "rejected") for one in self.attempts)


def heard(rail: Rail, event: events.Event) -> Rail:
    """The rail after an event; the same one for events that do not concern it."""
    match event:
        case events.RouteStarted():
            return Rail(strategy=event.strategy, purpose=event.purpose, candidates=event.candidates)
        case events.RouteAttempted():
            others = tuple(one for one in rail.attempts if one.number != event.attempt.number)
            return msgspec.structs.replace(rail, attempts=(*others, event.attempt))
        case events.RouteDone():
            return msgspec.structs.replace(rail, attempts=event.route.attempts)
        case _:
            return rail


def render(rail: Rail, width: int) -> Content:
    """Names and times where there is room, model names on less, signs alone on little."""
    head = Content.styled(rail.strategy.upper(), "bold $secondary")
    if rail.purpose != "turn":
        head = Content.assemble(head, (f" {rail.purpose}", "$foreground 60%"))
    latest = {attempt.name: attempt for attempt in sorted(rail.attempts, key=lambda one: one.number)}
    names = [*rail.candidates, *(name for name in latest if name not in rail.candidates)]
    if width < MEDIUM:
        return _glyphs(head, [latest.get(name) for name in names]).truncate(max(1, width), ellipsis=True)
    cells = [_cell(name, latest.get(name), wide=width >= WIDE) for name in names]
    return _fitted(head, cells, width)


def _glyphs(head: Content, attempts: Sequence[Attempt | None]) -> Content:
    marks = [mark_of(one.outcome if one else "") for one in attempts]
    more = f"+{len(marks) - GLYPHS}" if len(marks) > GLYPHS else ""
    return Content.assemble(head, " ", *marks[:GLYPHS], (more, "$foreground 50%"))


def _cell(name: str, attempt: Attempt | None, *, wide: bool) -> Content:
    mark, color = mark_of(attempt.outcome if attempt else "")
    label = one_line(name if wide else name.rpartition("/")[2], 40 if wide else 22)
    style = "bold" if attempt and attempt.outcome in ("trying", "streaming") else "$foreground 70%"
    return Content.assemble((f"{mark} ", color), (label, style), (_note(attempt, wide=wide), "$foreground 50%"))


def _note(attempt: Attempt | None, *, wide: bool) -> str:
    if attempt is None or attempt.outcome == "trying":
        return ""
    if attempt.outcome in ("error", "rejected"):
        status = str(attempt.http_status or attempt.kind.replace("_", " "))
        return f" {status}" if wide else ""
    shown_ms = attempt.ttft_ms if attempt.outcome == "streaming" else attempt.latency_ms
    return f" {_took(shown_ms)}" if shown_ms else ""


def _took(milliseconds: int) -> str:
    return f"{milliseconds} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.1f} s"


def _fitted(head: Content, cells: Sequence[Content], width: int) -> Content:
    """As many cells as fit, and the number of those that do not."""
    shown = head
    for place, cell in enumerate(cells):
        left = len(cells) - place - 1
        longer = Content.assemble(shown, "  ", cell)
        if longer.cell_length + (4 if left else 0) > width:
            more = Content.assemble(shown, (f"  +{left + 1}", "$foreground 50%"))
            return more.truncate(max(1, width), ellipsis=True)
        shown = longer
    return shown


class RouteBar(Static):
    DEFAULT_CSS = "RouteBar { height: 1; width: 1fr; padding: 0 1; display: none; }"

    def __init__(self) -> None:
        super().__init__("", markup=False)
        self._rail = Rail()

    def hear(self, event: events.Event) -> None:
        rail = heard(self._rail, event)
        if rail is not self._rail:
            self.show(rail)

    def show(self, rail: Rail) -> None:
        self._rail = rail
        # The row comes with the first thing to tell and then stays, so that the conversation does not jump.
        self.display = self.display or rail.telling
        self._draw()

    def clear(self) -> None:
        self._rail = Rail()
        self.display = False

    def on_resize(self) -> None:
        self._draw()

    def _draw(self) -> None:
        if self.display:
            self.update(render(self._rail, self.size.width - 2), layout=False)
