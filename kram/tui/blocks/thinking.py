"""The model's reasoning: its last lines while it thinks, one row with a count afterwards, everything when opened."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style

from kram.base.text import visible
from kram.tui.lines import Joined, Line, Lines, Look, cells, cut_lines, row, wrap

from .block import Block, estimated_rows
from .folding import plural

LIVE_ROWS = 4
BAR = "  ┊ "


class ThinkingBlock(Block):
    """`hidden`: the provider keeps the text to itself."""

    kind = "thinking"

    def __init__(
        self, key: str, text: str = "", *, hidden: bool = False, streaming: bool = False, at_ns: int = 0
    ) -> None:
        super().__init__(key, at_ns=at_ns)
        self.settled = not streaming
        self.hidden = hidden
        self._pieces = [text]

    @property
    def raw(self) -> str:
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0]

    @property
    def foldable(self) -> bool:
        return not self.hidden and bool(self.raw.strip())

    @property
    def tight(self) -> bool:
        return self.settled and self.folded

    def feed(self, text: str) -> None:
        self._pieces.append(text)
        self.changed()

    def settle(self, *, key: str, at_ns: int) -> None:
        self.key, self.at_ns, self.settled = key, at_ns, True
        self.changed()

    def render(self, width: int, look: Look, now_s: float = 0.0) -> Lines:
        head = self._head(width, look)
        if self.settled and self.folded:
            return [head]
        if not self.settled and self.folded:
            tail = self.raw[-LIVE_ROWS * width * 2 :]
            return [head, *self._rows(tail, width, look)[-LIVE_ROWS:]]
        return Joined([head], self._rows(self.raw, width, look))

    def _head(self, width: int, look: Look) -> Line:
        if self.hidden:
            text = "thought, in private"
        elif self.settled:
            text = f"thought · {plural(len(self.raw.split()), 'word')}"
        else:
            text = "thinking"
        mark = "▸" if self.folded and self.settled else "▾"
        mark = "·" if self.hidden else mark
        segments = [Segment(f"{mark} ", look.faint), Segment(text, look.muted)]
        return row(segments, width, look.text, mute=True)

    def _rows(self, text: str, width: int, look: Look) -> list[Line]:
        style = look.muted + Style(italic=True)
        content = cut_lines(visible(text).strip("\n").expandtabs(4))
        rows = wrap([(content, style)], width - cells(BAR) - 2)
        bar = Segment(BAR, look.faint)
        return [
            row([bar, *segments], width, look.text, left=cells(BAR), join=join, used=used + cells(BAR))
            for segments, used, join in rows
        ]

    def estimate(self, width: int) -> int:
        return 1 if self.folded else 1 + estimated_rows(self.raw, width - 6)

    def plain(self) -> str:
        return visible(self.raw)
