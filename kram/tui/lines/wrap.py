"""Breaking styled text into rows by cell width: at spaces, between wide characters, inside a word only where it is too long."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from rich.segment import Segment
from rich.style import Style

from .line import cells, chop

Span: TypeAlias = tuple[str, Style]
Row: TypeAlias = tuple[list[Segment], int, str | None]
"""Segments, their width in cells, and how the row follows the one above (see `Line.join`)."""

MAX_LINE_CHARS = 16_384
_ASCII_PIECES = re.compile(r"\n| +|[^ \n]+")
_WIDE = (
    "\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\U0001f000-\U0003ffff"
)
_MARKS = "\u0300-\u036f\u1ab0-\u1aff\u20d0-\u20ff\u3099\u309a\U0001f3fb-\U0001f3ff"
_PIECES = re.compile(f"\n| +|[{_WIDE}][{_MARKS}]*|[^ \n{_WIDE}]+")


def wrap(spans: Iterable[Span], width: int) -> Iterator[Row]:
    """Rows of at most `width` cells. A newline in a span begins a new logical line. At least one row."""
    width = max(1, width)
    line: list[Segment] = []
    used = 0
    join: str | None = None
    space: Span | None = None
    for word in _words(spans):
        head = word[0][0]
        if head == "\n":
            yield line, used, join
            line, used, join, space = [], 0, None, None
            continue
        if head.startswith(" ") and len(word) == 1:
            space = word[0]
            continue
        size = sum(cells(text) for text, _ in word)
        gap = len(space[0]) if space else 0
        if used and used + gap + size > width:
            yield line, used, join
            line, used, join = [], 0, space[0] if space else ""
        elif space and (used or join is None):
            line.append(Segment(space[0][:width], space[1]))
            used += min(gap, width)
        space = None
        if used + size <= width:
            line.extend(Segment(text, style) for text, style in word)
            used += size
            continue
        for row_line, row_used in _broken(word, width, line, used):
            if row_used < 0:
                line, used = row_line, -row_used
            else:
                yield row_line, row_used, join
                join = ""
    yield line, used, join


def _broken(word: Sequence[Span], width: int, line: list[Segment], used: int) -> Iterator[tuple[list[Segment], int]]:
    """A word longer than a row, cut by cells. The last, open row comes with its width negated."""
    for text, style in word:
        rest = text
        while rest:
            if used >= width:
                yield line, used
                line, used = [], 0
            piece, rest = chop(rest, width - used)
            size = cells(piece)
            if used and used + size > width:
                yield line, used
                line, used = [], 0
            line.append(Segment(piece, style))
            used += size
    yield line, -used


def _words(spans: Iterable[Span]) -> Iterator[list[Span]]:
    """Newlines, runs of spaces and words; a word may reach over several spans."""
    word: list[Span] = []
    for text, style in spans:
        plain = text.isascii()
        for piece in (_ASCII_PIECES if plain else _PIECES).findall(text):
            if piece[0] in " \n":
                if word:
                    yield word
                    word = []
                yield [(piece, style)]
            elif plain or not _is_wide(piece):
                word.append((piece, style))
            else:
                if word:
                    yield word
                    word = []
                yield [(piece, style)]
    if word:
        yield word


def _is_wide(piece: str) -> bool:
    first = piece[0]
    return first >= "\u1100" and cells(first) == 2


def hard_rows(text: str, width: int) -> Iterator[str]:
    """One logical line cut into pieces of at most `width` cells; at least one."""
    if not text:
        yield ""
    while text:
        piece, text = chop(text, max(1, width))
        yield piece


def row_count(text: str, width: int) -> int:
    """How many rows `hard_rows` makes of a line."""
    width = max(1, width)
    if text.isascii():
        return max(1, -(-len(text) // width))
    return sum(1 for _ in hard_rows(text, width))


def cut_line(line: str) -> str:
    """A line short enough to be drawn: the rest of a monstrous one is named, not shown."""
    if len(line) <= MAX_LINE_CHARS:
        return line
    return f"{line[:MAX_LINE_CHARS]} … {len(line) - MAX_LINE_CHARS:,} more characters"


def cut_lines(text: str) -> str:
    """`cut_line` for every line."""
    if len(text) <= MAX_LINE_CHARS:
        return text
    return "\n".join(cut_line(line) for line in text.split("\n"))
