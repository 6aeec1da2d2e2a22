"""A unified diff as rows with line numbers and colours. Rows are made when looked at, so that a diff of thousands of lines
costs what is visible of it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate
from typing import Literal, TypeAlias

from rich.segment import Segment
from rich.style import Style

from kram.base import Data
from kram.base.text import visible
from kram.tui.lines import LazyLines, Line, Look, cells, cut_line, row, row_count
from kram.tui.markdown import language_of, line_segments, token_lines

from .folding import nth_piece

Sign: TypeAlias = Literal["+", "-", " ", "@", "!"]

_HUNK = re.compile(r"^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)")
SYNTAX_MAX_CHARS = 400


class DiffRow(Data):
    """`number` is the line in the new file, in the old one for what was removed; 0 for hunk headers and remarks."""

    sign: Sign
    number: int
    text: str


class Diff(Data):
    """A diff, read. `path` is the new file's name."""

    rows: tuple[DiffRow, ...]
    path: str = ""
    added: int = 0
    removed: int = 0


def read_diff(text: str) -> Diff:
    """Reads what `diff -u` and git write; lines that fit nothing are kept as context of hunks or left out before them."""
    rows: list[DiffRow] = []
    path = ""
    old = new = 0
    in_hunk = False
    for line in visible(text).split("\n"):
        if hunk := _HUNK.match(line):
            old, new, in_hunk = int(hunk[1]), int(hunk[2]), True
            rows.append(DiffRow(sign="@", number=0, text=hunk[3]))
        elif line.startswith(("diff ", "Index: ")) or (line.startswith("--- ") and not in_hunk):
            in_hunk = False
        elif line.startswith("+++ ") and not in_hunk:
            path = _name(line[4:])
        elif not in_hunk:
            continue
        elif line.startswith("+"):
            rows.append(DiffRow(sign="+", number=new, text=line[1:]))
            new += 1
        elif line.startswith("-"):
            rows.append(DiffRow(sign="-", number=old, text=line[1:]))
            old += 1
        elif line.startswith("\\"):
            rows.append(DiffRow(sign="!", number=0, text=line[2:]))
        elif line.startswith(" "):
            rows.append(DiffRow(sign=" ", number=new, text=line[1:]))
            old += 1
            new += 1
    added = sum(1 for one in rows if one.sign == "+")
    removed = sum(1 for one in rows if one.sign == "-")
    if rows and rows[0].sign == "@" and not rows[0].text:
        rows = rows[1:]
    return Diff(rows=tuple(rows), path=path, added=added, removed=removed)


def _name(written: str) -> str:
    name = written.split("\t", maxsplit=1)[0].strip()
    return name[2:] if name.startswith(("a/", "b/")) else name


def diff_lines(diff: Diff, width: int, look: Look, *, margin: int = 2, limit: int = 0) -> LazyLines:
    """Rows of the diff, long lines wrapped by cells; at most `limit` rows unless it is 0."""
    digits = max(3, len(str(max((one.number for one in diff.rows), default=0))))
    gutter = margin + digits + 3
    room = max(1, width - gutter)
    texts = [cut_line(one.text).expandtabs(4) for one in diff.rows]
    ends = list(accumulate(row_count(text, room) for text in texts))
    total = ends[-1] if ends else 0
    language = language_of(diff.path)

    def make(index: int) -> Line:
        at = bisect_right(ends, index)
        nth = index - (ends[at - 1] if at else 0)
        one, text = diff.rows[at], nth_piece(texts[at], nth, room)
        number = str(one.number).rjust(digits) if one.number and not nth else " " * digits
        style, mark = _style(one.sign, look)
        segments = [
            Segment(" " * margin, look.text),
            Segment(f"{number} ", look.faint),
            Segment(f"{mark if not nth else ' '} ", style),
            *_coloured(text, language, style, look, sign=one.sign),
        ]
        used = gutter + cells(text)
        if one.sign in "+-":
            segments.append(Segment(" " * (width - used), style))
        line = row(segments, width, look.text, left=gutter, join="" if nth else None, mute=one.sign in "@!")
        line.right = used
        return line

    return LazyLines(min(total, limit) if limit else total, make)


def _style(sign: Sign, look: Look) -> tuple[Style, str]:
    styles: dict[Sign, tuple[Style, str]] = {
        "+": (look.added, "+"),
        "-": (look.removed, "-"),
        " ": (look.muted, " "),
        "@": (look.faint, "⋯"),
        "!": (look.faint, "\\"),
    }
    return styles[sign]


def _coloured(text: str, language: str, style: Style, look: Look, *, sign: Sign) -> list[Segment]:
    """Syntax colours on the row's own ground, a line at a time. The terminal's own palette keeps red and green instead."""
    plain = look.palette.added == "default" or sign not in "+- "
    if plain or not language or not text.strip() or len(text) > SYNTAX_MAX_CHARS:
        return [Segment(text, style)] if text else []
    ground = Style(bgcolor=style.bgcolor)
    lines = token_lines(text, language)
    return [Segment(part, token + ground if token else ground) for part, token, _ in line_segments(lines[0], look)]
