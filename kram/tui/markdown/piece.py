"""`Piece`: a row on its way out of nested Markdown, before bars, indents and padding are put around it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from kram.tui.lines import Line, Row, cells, row


class Piece:
    """`segments` may be a function, for rows that are costly to colour. `left`, `join` and `mute` are as in `Line`."""

    __slots__ = ("join", "left", "mute", "segments", "used")

    def __init__(
        self,
        segments: list[Segment] | Callable[[], list[Segment]],
        used: int,
        *,
        join: str | None = None,
        left: int = 0,
        mute: bool = False,
    ) -> None:
        self.segments = segments
        self.used = used
        self.join = join
        self.left = left
        self.mute = mute

    def line(self, width: int, margin: int, base: Style) -> Line:
        """A finished row with `margin` cells before it."""
        before = Segment(" " * margin, base)
        left = margin + self.left
        segments, used = self.segments, self.used + margin
        if isinstance(segments, list):
            return row([before, *segments], width, base, left=left, join=self.join, mute=self.mute, used=used)
        made = segments

        def strip() -> Strip:
            return row([before, *made()], width, base, used=used).strip

        return Line(strip, left=left, right=min(used, width), join=self.join, mute=self.mute)


def from_rows(rows: Iterable[Row]) -> list[Piece]:
    return [Piece(segments, used, join=join) for segments, used, join in rows]


def indented(pieces: Sequence[Piece], first: Segment, rest: Segment, *, decoration: bool) -> list[Piece]:
    """The pieces behind a prefix of the same width on each. A `decoration` is never copied; a list's marker is, and its
    indent where a logical line begins."""
    width = cells(rest.text)
    done: list[Piece] = []
    for index, piece in enumerate(pieces):
        prefix = first if index == 0 else rest
        hidden = decoration or piece.join is not None or (piece.left > 0 and index > 0)
        left = piece.left + width if hidden else 0
        segments = piece.segments
        done.append(
            Piece(
                [prefix, *segments] if isinstance(segments, list) else _later(prefix, segments),
                piece.used + width,
                join=piece.join,
                left=left,
                mute=piece.mute and index > 0,
            )
        )
    return done


def _later(prefix: Segment, segments: Callable[[], list[Segment]]) -> Callable[[], list[Segment]]:
    return lambda: [prefix, *segments()]
