"""Selected text across blocks: what is highlighted, and the logical text that is copied."""

from __future__ import annotations

from collections.abc import Sequence

from rich.style import Style
from textual.strip import Strip

from kram.base import Data
from kram.tui.blocks import Block
from kram.tui.lines import Lines

from .viewport import Spot, Viewport


class Mark(Data):
    """A cell of a row of a block. The blank row before a block is line -1."""

    block: Block
    line: int
    cell: int


class Selection:
    """From `anchor` to `head`, in either order. Marks name blocks, so that nothing moves when the list grows."""

    def __init__(self, anchor: Mark, head: Mark) -> None:
        self.anchor = anchor
        self.head = head

    def ends(self, blocks: Sequence[Block]) -> tuple[tuple[int, int, int], tuple[int, int, int]] | None:
        """(block index, line, cell) of the first and behind the last cell; None once a block is gone."""
        try:
            first = (_index(blocks, self.anchor.block), self.anchor.line, self.anchor.cell)
            last = (_index(blocks, self.head.block), self.head.line, self.head.cell)
        except ValueError:
            return None
        return (first, last) if first <= last else (last, first)

    def span(self, spot: Spot, width: int, ends: tuple[tuple[int, int, int], tuple[int, int, int]]) -> tuple[int, int]:
        """The selected cells of a row; (0, 0) for none."""
        first, last = ends
        here = (spot.index, spot.line)
        if not first[:2] <= here <= last[:2]:
            return 0, 0
        start = first[2] if here == first[:2] else 0
        return start, last[2] if here == last[:2] else width

    def text(self, blocks: Sequence[Block], viewport: Viewport) -> str:
        """What is copied: logical lines, without gutters, bars, line numbers and wrapping."""
        ends = self.ends(blocks)
        if ends is None:
            return ""
        (first, first_line, first_cell), (last, last_line, last_cell) = ends
        parts: list[str] = []
        for index in range(first, last + 1):
            lines = viewport.lines(index)
            begin = max(0, first_line) if index == first else 0
            stop = min(last_line, len(lines) - 1) if index == last else len(lines) - 1
            text = joined(
                lines,
                begin,
                stop,
                first_cell if index == first and first_line >= 0 else 0,
                last_cell if index == last else None,
            )
            if parts and index > first:
                parts.append("\n\n" if viewport.gap(index) else "\n")
            parts.append(text)
        return "".join(parts).strip("\n")


def joined(lines: Lines, begin: int, stop: int, first_cell: int = 0, last_cell: int | None = None) -> str:
    """The logical text of rows `begin` to `stop`, both included."""
    parts: list[str] = []
    for at in range(begin, stop + 1):
        line = lines[at]
        if line.mute:
            continue
        text = line.copied(first_cell if at == begin else 0, last_cell if at == stop else None)
        if parts:
            parts.append("\n" if line.join is None else line.join)
        parts.append(text)
    return "".join(parts)


def highlighted(strip: Strip, start: int, stop: int, style: Style) -> Strip:
    """The strip with some cells on another ground."""
    if stop <= start or start >= strip.cell_length:
        return strip
    stop = min(stop, strip.cell_length)
    before, inside, after = strip.crop(0, start), strip.crop(start, stop), strip.crop(stop)
    coloured = Strip(
        [type(one)(one.text, (one.style + style) if one.style else style) for one in inside], inside.cell_length
    )
    return Strip.join([before, coloured, after])


def _index(blocks: Sequence[Block], block: Block) -> int:
    """From the end: what is selected is mostly new."""
    for index in range(len(blocks) - 1, -1, -1):
        if blocks[index] is block:
            return index
    raise ValueError(block.key)
