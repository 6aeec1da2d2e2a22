"""A question of the model to the person, and the answer it got."""

from __future__ import annotations

from rich.segment import Segment

from kram.base.text import visible
from kram.tui.lines import Line, Lines, Look, cells, cut_lines, row, wrap

from .block import estimated_rows
from .tool import ToolBlock

TOOL = "ask_question"


class QuestionBlock(ToolBlock):
    """A call of the question tool: the same life as any call, shown as a question."""

    kind = "question"

    @property
    def foldable(self) -> bool:
        return False

    @property
    def running(self) -> bool:
        return False

    @property
    def tight(self) -> bool:
        return False

    def render(self, width: int, look: Look, now_s: float = 0.0) -> Lines:
        lines = self._said("? ", self._question(), width, look, strong=True)
        options = self.arguments.get("options")
        if isinstance(options, list):
            for option in options:
                lines += self._said("  ◦ ", visible(str(option)), width, look, strong=False)
        if self._text:
            mark = "↳ " if self.state == "ok" else "✕ "
            lines += self._said(mark, visible(self._text), width, look, strong=False)
        elif self.state == "unknown":
            lines += self._said("↳ ", "no answer is on record", width, look, strong=False)
        return lines

    def _said(self, mark: str, text: str, width: int, look: Look, *, strong: bool) -> list[Line]:
        style = look.strong if strong else look.text
        rows = wrap([(cut_lines(text.expandtabs(4)), style)], width - cells(mark) - 1)
        colour = look.third if mark != "✕ " else look.error
        return [
            row(
                [Segment(mark if index == 0 else " " * cells(mark), colour), *segments],
                width,
                look.text,
                left=cells(mark),
                join=join,
            )
            for index, (segments, _, join) in enumerate(rows)
        ]

    def _question(self) -> str:
        return visible(str(self.arguments.get("question") or "(no question)"))

    def estimate(self, width: int) -> int:
        return estimated_rows(self._question(), width) + 2

    def plain(self) -> str:
        return f"{self._question()}\n{visible(self._text)}".rstrip()


def call_block(key: str, name: str, arguments: str = "", *, at_ns: int = 0) -> ToolBlock:
    """The block of a call: a question, or any other tool."""
    kind = QuestionBlock if name == TOOL else ToolBlock
    return kind(key, name, arguments, at_ns=at_ns)
