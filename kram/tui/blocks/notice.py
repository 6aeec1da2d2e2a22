"""Something the person should know, from kram itself: a failure, a command's answer, a stop."""

from __future__ import annotations

from typing import Literal

from rich.segment import Segment

from kram.base.text import visible
from kram.tui.lines import Lines, Look, cells, cut_lines, row, wrap

from .block import Block, estimated_rows

_MARKS = {"info": "• ", "warning": "! ", "error": "✕ "}


class NoticeBlock(Block):
    kind = "notice"

    def __init__(
        self, key: str, text: str, *, level: Literal["info", "warning", "error"] = "info", at_ns: int = 0
    ) -> None:
        super().__init__(key, at_ns=at_ns)
        self._text = visible(text).strip("\n")
        self._level = level

    @property
    def tight(self) -> bool:
        return "\n" not in self._text

    def render(self, width: int, look: Look, now_s: float = 0.0) -> Lines:
        mark = _MARKS[self._level]
        colour = {"info": look.second, "warning": look.warning, "error": look.error}[self._level]
        style = look.error if self._level == "error" else look.muted
        rows = wrap([(cut_lines(self._text.expandtabs(4)), style)], width - cells(mark) - 1)
        return [
            row(
                [Segment(mark if index == 0 else " " * cells(mark), colour), *segments],
                width,
                look.text,
                left=cells(mark),
                join=join,
                used=used + cells(mark),
            )
            for index, (segments, used, join) in enumerate(rows)
        ]

    def estimate(self, width: int) -> int:
        return estimated_rows(self._text, width - 3)

    def plain(self) -> str:
        return self._text
