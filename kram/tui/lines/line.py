"""`Line`: one rendered row with what copying needs, and sequences of rows that are made only when looked at.

A row knows where its own text begins (`left`: bars, bullets' indent and line numbers before it are not copied) and how it
follows the row above (`join`), so that copying gives logical lines, never the wrapped ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import overload

from rich.cells import cell_len, get_character_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip


class Line:
    """`left`: the first cell that is copied. `right`: the cell after the last one, -1 for the end of the text.
    `join`: None begins a new logical line, else the text that the wrap swallowed ("" or a space). `mute`: decoration only.
    A strip may come as a function that makes it when the row is first looked at."""

    __slots__ = ("_framed", "_strip", "join", "left", "mute", "right")

    def __init__(
        self,
        strip: Strip | Callable[[], Strip],
        *,
        left: int = 0,
        right: int = -1,
        join: str | None = None,
        mute: bool = False,
    ) -> None:
        self._strip = strip
        self._framed: Strip | None = None
        self.left = left
        self.right = right
        self.join = join
        self.mute = mute

    @property
    def strip(self) -> Strip:
        made = self._strip
        if not isinstance(made, Strip):
            made = self._strip = made()
        return made

    def framed(self, before: Segment, after: Segment) -> Strip:
        """The strip between two margins; kept, since the same margins are asked for again and again."""
        if self._framed is None:
            strip = self.strip
            width = strip.cell_length + len(before.text) + len(after.text)
            self._framed = Strip([before, *strip, after], width)
        return self._framed

    @property
    def text(self) -> str:
        return self.strip.text

    def copied(self, start: int = 0, end: int | None = None) -> str:
        """The text between two cells, decoration and trailing space left out."""
        if self.mute:
            return ""
        limit = self.strip.cell_length if self.right < 0 else self.right
        begin, stop = max(start, self.left), limit if end is None else min(end, limit)
        if stop <= begin:
            return ""
        text = self.strip.crop(begin, stop).text
        return text.rstrip() if stop >= limit else text


Lines = Sequence[Line]


class LazyLines(Sequence[Line]):
    """`count` rows, each made by `make(index)` when first asked for and kept in small pages."""

    def __init__(self, count: int, make: Callable[[int], Line], keep: int = 512) -> None:
        self._count = count
        self._make = make
        self._keep = keep
        self._made: dict[int, Line] = {}

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Line: ...
    @overload
    def __getitem__(self, index: slice) -> list[Line]: ...
    def __getitem__(self, index: int | slice) -> Line | list[Line]:
        if isinstance(index, slice):
            return [self[one] for one in range(*index.indices(self._count))]
        if index < 0:
            index += self._count
        if not 0 <= index < self._count:
            raise IndexError(index)
        line = self._made.get(index)
        if line is None:
            if len(self._made) >= self._keep:
                self._made.clear()
            line = self._made[index] = self._make(index)
        return line


class Joined(Sequence[Line]):
    """Two sequences of rows, one after the other, without copying a lazy one."""

    def __init__(self, head: Lines, tail: Lines) -> None:
        self._head = head
        self._tail = tail

    def __len__(self) -> int:
        return len(self._head) + len(self._tail)

    @overload
    def __getitem__(self, index: int) -> Line: ...
    @overload
    def __getitem__(self, index: slice) -> list[Line]: ...
    def __getitem__(self, index: int | slice) -> Line | list[Line]:
        if isinstance(index, slice):
            return [self[one] for one in range(*index.indices(len(self)))]
        if index < 0:
            index += len(self)
        cut = len(self._head)
        return self._head[index] if index < cut else self._tail[index - cut]


def cells(text: str) -> int:
    """Width in terminal cells."""
    return len(text) if text.isascii() else cell_len(text)


def fit(text: str, width: int) -> str:
    """The text in at most `width` cells, an ellipsis where it was cut. One line, no padding."""
    if len(text) <= width and cells(text) <= width:
        return text
    return chop(text, width - 1)[0] + "…" if width > 0 else ""


def chop(text: str, width: int) -> tuple[str, str]:
    """Text that fits into `width` cells, and the rest. Takes at least one character, so that loops end."""
    if text[:width].isascii():
        # As many characters as cells; a combining mark right behind stays with its letter.
        at = max(1, width)
        while at < len(text) and not text[at].isascii() and get_character_cell_size(text[at]) == 0:
            at += 1
        return text[:at], text[at:]
    used = 0
    for index, character in enumerate(text):
        size = get_character_cell_size(character)
        if used + size > width and index > 0 and size:
            return text[:index], text[index:]
        used += size
    return text, ""


def row(
    segments: Sequence[Segment],
    width: int,
    pad: Style,
    *,
    left: int = 0,
    join: str | None = None,
    mute: bool = False,
    used: int = -1,
) -> Line:
    """Segments padded to exactly `width` cells; what is longer is cut. `used` spares measuring where it is known."""
    if used < 0:
        used = sum(cells(segment.text) for segment in segments)
    if used < width:
        strip = Strip([*segments, Segment(" " * (width - used), pad)], width)
    else:
        strip = Strip(segments, used)
        if used > width:
            strip = strip.crop(0, width)
    return Line(strip, left=left, right=min(used, width), join=join, mute=mute)


def blank(width: int, style: Style) -> Line:
    """An empty row; copied as an empty line."""
    return row((), width, style, used=0)
