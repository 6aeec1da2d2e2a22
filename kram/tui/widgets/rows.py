"""A list of one-line rows by Textual's line API: thousands of them cost what is visible. Keys reach it through its owner."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import events
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual


class RowList(ScrollView, can_focus=False):
    """`draw(index, width)` makes a row when it is looked at; `chosen` is the highlighted index, -1 for none."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"row-list--chosen"}
    DEFAULT_CSS = """
    RowList { height: 1fr; overflow-x: hidden; scrollbar-size-vertical: 1; }
    RowList > .row-list--chosen { background: $primary 45%; text-style: bold; }
    """

    class Moved(Message):
        """Another row is highlighted."""

    class Opened(Message):
        """The highlighted row was clicked again."""

    def __init__(self, draw: Callable[[int, int], Content]) -> None:
        super().__init__()
        self._draw = draw
        self._count = 0
        self._top: int | None = None
        self.chosen = -1

    def show(self, count: int, chosen: int = 0, *, top: int | None = None) -> None:
        """Shows so many rows, one of them highlighted; `top` is the row to begin with, else as little moves as can be."""
        self._count = count
        self._top = top
        self.virtual_size = Size(0, count)
        self.chosen = max(0, min(chosen, count - 1)) if count else -1
        self.refresh()
        self.post_message(self.Moved())
        # How far it may scroll is known once the new size was laid out.
        self.call_after_refresh(self._reveal)

    def move(self, by: int) -> None:
        if self._count:
            self._choose(self.chosen + by)

    def _choose(self, index: int) -> None:
        self.chosen = max(0, min(index, self._count - 1)) if self._count else -1
        self._reveal()
        self.refresh()
        self.post_message(self.Moved())

    def _reveal(self) -> None:
        top, self._top = self._top, None
        if top is not None:
            self.scroll_to(y=top, animate=False, immediate=True)
        if self.chosen >= 0:
            self.scroll_to_region(Region(0, self.chosen, 1, 1), animate=False, immediate=True)

    def render_line(self, y: int) -> Strip:
        index = y + int(self.scroll_offset.y)
        width = self.scrollable_content_region.width
        if index >= self._count or width < 1:
            return Strip.blank(max(0, width), self.rich_style)
        base = self.get_visual_style("row-list--chosen") if index == self.chosen else self.visual_style
        line = self._draw(index, width).truncate(width, ellipsis=True, pad=True)
        return Visual.to_strips(self, line, width, 1, base)[0]

    def on_click(self, event: events.Click) -> None:
        index = event.y + int(self.scroll_offset.y)
        if index >= self._count:
            return
        if index == self.chosen:
            self.post_message(self.Opened())
        else:
            self._choose(index)


def indexes_matching(texts: Sequence[str], query: str) -> list[int]:
    """The rows that hold every word of a query, in order; all of them for none."""
    words = query.lower().split()
    return [index for index, text in enumerate(texts) if all(word in text for word in words)]
