"""Tables fitted to a width: columns shrink from the widest down, cells wrap; where even that is too narrow, a row becomes
a small list of `header: value`.
"""

from __future__ import annotations

from typing import Any

from markdown_it.token import Token
from rich.segment import Segment
from rich.style import Style

from kram.base import Data
from kram.tui.lines import Look, Row, Span, cells, wrap

from .inline import spans
from .piece import Piece, from_rows

MIN_COLUMN = 5
GAP = " │ "


class Grid(Data):
    """Rows of cells, the header first, and each column's alignment (left, right, center)."""

    rows: tuple[tuple[str, ...], ...]
    aligned: tuple[str, ...]


def grid_of(tokens: list[Token]) -> Grid:
    rows: list[tuple[str, ...]] = []
    aligned: list[str] = []
    current: list[str] = []
    for token in tokens:
        if token.type == "tr_open":
            current = []
        elif token.type == "tr_close":
            rows.append(tuple(current))
        elif token.type == "inline":
            current.append(token.content)
        elif token.type == "th_open":
            aligned.append(str(token.attrGet("style") or "text-align:left").partition(":")[2])
    return Grid(rows=tuple(rows), aligned=tuple(aligned))


def table_pieces(tokens: list[Token], width: int, look: Look, env: dict[str, Any]) -> list[Piece]:
    grid = grid_of(tokens)
    columns = len(grid.aligned)
    if not columns:
        return []
    texts = [
        [spans(cell, look.strong if index == 0 else look.text, look, env) for cell in row]
        for index, row in enumerate(grid.rows)
    ]
    natural = [max(_width(row[at]) for row in texts if at < len(row)) for at in range(columns)]
    room = width - cells(GAP) * (columns - 1)
    if room < MIN_COLUMN * columns and room < sum(natural):
        return _records(grid, texts, width, look)
    widths = fitted(natural, room)
    pieces: list[Piece] = []
    for index, row in enumerate(texts):
        pieces += _row(row, widths, grid.aligned, look)
        if index == 0:
            rule = "─┼─".join("─" * size for size in widths)
            pieces.append(Piece([Segment(rule, look.faint)], cells(rule), mute=True))
    return pieces


def fitted(natural: list[int], room: int) -> list[int]:
    """Widths that add up to at most `room`: what is above the highest affordable level is cut to it."""
    natural = [max(1, size) for size in natural]
    if sum(natural) <= room:
        return natural
    left, open_columns = room, len(natural)
    widths = list(natural)
    for at in sorted(range(len(natural)), key=natural.__getitem__):
        level = max(1, left // open_columns)
        widths[at] = min(natural[at], level)
        left -= widths[at]
        open_columns -= 1
    return widths


def _width(text: list[Span]) -> int:
    return max(sum(cells(part) for part in line) for line in _lines(text))


def _lines(text: list[Span]) -> list[list[str]]:
    lines: list[list[str]] = [[]]
    for part, _ in text:
        first, *more = part.split("\n")
        lines[-1].append(first)
        lines += [[one] for one in more]
    return lines


def _row(row: list[list[Span]], widths: list[int], aligned: tuple[str, ...], look: Look) -> list[Piece]:
    wrapped: list[list[Row]] = [list(wrap(row[at] if at < len(row) else [], size)) for at, size in enumerate(widths)]
    pieces: list[Piece] = []
    for level in range(max(len(rows) for rows in wrapped)):
        segments: list[Segment] = []
        for at, rows in enumerate(wrapped):
            if at:
                segments.append(Segment(GAP, look.faint))
            content, used = rows[level][:2] if level < len(rows) else ([], 0)
            segments += _aligned(content, used, widths[at], aligned[at], look.text)
        pieces.append(Piece(segments, sum(widths) + cells(GAP) * (len(widths) - 1)))
    return pieces


def _aligned(content: list[Segment], used: int, width: int, how: str, pad: Style) -> list[Segment]:
    free = max(0, width - used)
    before = free if how == "right" else free // 2 if how == "center" else 0
    head = [Segment(" " * before, pad)] if before else []
    tail = [Segment(" " * (free - before), pad)] if free > before else []
    return [*head, *content, *tail]


def _records(grid: Grid, texts: list[list[list[Span]]], width: int, look: Look) -> list[Piece]:
    pieces: list[Piece] = []
    for row in texts[1:]:
        if pieces:
            pieces.append(Piece([], 0))
        for at, cell in enumerate(row):
            name = grid.rows[0][at] if at < len(grid.rows[0]) else ""
            pieces += from_rows(wrap([(f"{name}: ", look.strong), *cell], width))
    return pieces
