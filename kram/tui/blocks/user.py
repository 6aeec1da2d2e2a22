"""What the person said: a block on the right with a bar, as wide as it needs and never more than 68 % of the width."""

from __future__ import annotations

from rich.segment import Segment

from kram.base.text import visible
from kram.tui.lines import Line, Lines, Look, Row, cells, cut_lines, row, wrap

from .block import Block, estimated_rows

LABEL = "you"
MIN_WIDTH = 20
SHARE = 0.68
NARROW = 50


class UserBlock(Block):
    """`images` describes attachments; `steered`: it joined a turn that was running. Never Markdown."""

    kind = "user"

    def __init__(
        self, key: str, text: str, *, images: tuple[str, ...] = (), steered: bool = False, at_ns: int = 0
    ) -> None:
        super().__init__(key, at_ns=at_ns)
        self._text = visible(text)
        self._images = images
        self._steered = steered

    def render(self, width: int, look: Look, now_s: float = 0.0) -> Lines:
        limit = width - 2 if width < NARROW else max(MIN_WIDTH, int(width * SHARE))
        room = max(1, limit - 4)
        label = f"{LABEL} · while it worked" if self._steered else LABEL
        rows = list(wrap([(cut_lines(self._text.expandtabs(4)), look.surface)], room))
        rows += [([Segment(name, look.surface_muted)], cells(name), None) for name in self._images]
        inner = min(room, max(cells(label), *(used for _, used, _ in rows)))
        text = label[:inner]
        head = _boxed(([Segment(text, look.surface_muted)], cells(text), None), inner, width, look)
        head.mute = True
        return [head, *(_boxed(one, inner, width, look) for one in rows)]

    def estimate(self, width: int) -> int:
        return 1 + estimated_rows(self._text, int(width * SHARE) - 4)

    def plain(self) -> str:
        return "\n".join([self._text, *self._images])


def _boxed(content: Row, inner: int, width: int, look: Look) -> Line:
    """One row in the block at the right edge; `inner` is the width of its text."""
    segments, used, join = content
    before = max(0, width - inner - 5)
    body = [
        Segment(" " * before, look.text),
        Segment("▎ ", look.surface_bar),
        *segments,
        Segment(" " * (inner - used + 2), look.surface),
    ]
    line = row(body, width, look.text, left=before + 2, join=join, used=before + inner + 4)
    line.right = before + 2 + used
    return line
