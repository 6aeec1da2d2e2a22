"""A titled piece of something long to read: one row closed, everything behind a bar when opened. What is not looked at is
never laid out."""

from __future__ import annotations

from collections.abc import Callable

from rich.segment import Segment

from kram.base.text import one_line, visible
from kram.tui.lines import Joined, Lines, Look, cells, fit, row

from .block import Block
from .folding import whole

MAX_ROWS = 100_000


class SectionBlock(Block):
    """`text` is asked once, when the section is opened. One without a text is a heading."""

    kind = "section"

    def __init__(self, key: str, title: str, note: str = "", text: Callable[[], str] | None = None) -> None:
        super().__init__(key)
        self._title = one_line(title, 200)
        self._note = one_line(note, 200)
        self._source = text
        self._lines: list[str] | None = None

    @property
    def foldable(self) -> bool:
        return self._source is not None

    @property
    def tight(self) -> bool:
        return self._source is not None

    def render(self, width: int, look: Look, now_s: float = 0.0) -> Lines:
        mark = "" if self._source is None else "▸ " if self.folded else "▾ "
        title = fit(f"{mark}{self._title}", max(1, width))
        style = look.strong if self._source is None else look.text
        segments = [Segment(title, style)]
        room = width - cells(title) - 2
        if self._note and room > 3:
            segments.append(Segment(f"  {fit(self._note, room)}", look.faint))
        head = [row(segments, width, look.text)]
        if self._source is None or self.folded:
            return head
        return Joined(head, whole(self._text_lines(), width, look, look.muted, MAX_ROWS))

    def estimate(self, width: int) -> int:
        return 1 if self.folded else 1 + len(self._text_lines())

    def plain(self) -> str:
        return "\n".join(self._text_lines()) if self._source else self._title

    def _text_lines(self) -> list[str]:
        if self._lines is None:
            self._lines = visible(self._source()).split("\n") if self._source else []
        return self._lines
