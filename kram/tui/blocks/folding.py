"""Text of any length behind a fold: a short preview, or everything that may be shown, made row by row when looked at."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from rich.segment import Segment
from rich.style import Style

from kram.tui.lines import LazyLines, Line, Lines, Look, cells, chop, cut_line, fit, row, row_count

MAX_ROWS = 2_000
BAR = "  │ "


def clipped(lines: list[str], width: int, look: Look, style: Style) -> list[Line]:
    """One row a line, behind the bar; what is too long is cut with an ellipsis."""
    room = max(1, width - cells(BAR))
    done: list[Line] = []
    for line in lines:
        text = fit(line[: room * 4].expandtabs(4), room)
        done.append(row([Segment(BAR, look.faint), Segment(text, style)], width, look.text, left=cells(BAR)))
    return done


def whole(lines: list[str], width: int, look: Look, style: Style, max_rows: int = MAX_ROWS) -> Lines:
    """Every line, wrapped by cells and copied as one; at most `max_rows` rows are offered."""
    room = max(1, width - cells(BAR))
    shown = [cut_line(line).expandtabs(4) for line in lines[:max_rows]]
    ends = list(accumulate(row_count(line, room) for line in shown))

    def make(index: int) -> Line:
        at = bisect_right(ends, index)
        nth = index - (ends[at - 1] if at else 0)
        text = nth_piece(shown[at], nth, room)
        segments = [Segment(BAR, look.faint), Segment(text, style)]
        return row(segments, width, look.text, left=cells(BAR), join="" if nth else None)

    return LazyLines(min(max_rows, ends[-1] if ends else 0), make)


def nth_piece(text: str, nth: int, room: int) -> str:
    """The n-th row of a line that is cut by cells."""
    if text.isascii():
        return text[nth * room : (nth + 1) * room]
    piece = ""
    for _ in range(nth + 1):
        piece, text = chop(text, room)
    return piece


def remark(text: str, width: int, look: Look, style: Style | None = None) -> Line:
    """A row about what is shown, never copied."""
    return row(
        [Segment("  ╰ ", look.faint), Segment(fit(text, width - 4), style or look.muted)], width, look.text, mute=True
    )


def duration(milliseconds: float) -> str:
    """`840 ms`, `2.3 s`, `3:05 min`."""
    if milliseconds < 1000:
        return f"{milliseconds:.0f} ms"
    seconds = milliseconds / 1000
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d} min"


def count(number: int) -> str:
    """`950`, `12.3k`, `1.2M`."""
    if number < 1000:
        return str(number)
    if number < 999_950:
        return f"{number / 1000:.1f}k"
    return f"{number / 1_000_000:.1f}M"


def plural(number: int, one: str) -> str:
    return f"{number} {one}" if number == 1 else f"{number:,} {one}s"
