"""A Markdown text that may still grow. What is final is laid out once for a width and look; only the open end is laid out again.

The rows are the same however the text came, at once or in pieces: sections are final by the rules of CommonMark, and a
text with link definitions (which reach backwards) is laid out anew when it is complete.
"""

from __future__ import annotations

from typing import Any

from markdown_it.token import Token
from rich.style import Style

from kram.tui.lines import Line, Look, blank

from .layout import Layout, siblings
from .parser import has_references, parse_blocks, settle


class _Section:
    """One top-level block that nothing can change any more."""

    __slots__ = ("env", "source", "tokens")

    def __init__(self, source: str, tokens: list[Token] | None = None, env: dict[str, Any] | None = None) -> None:
        self.source = source
        self.tokens = tokens
        self.env = env

    def lines(self, width: int, look: Look, margin: int) -> list[Line]:
        if self.tokens is None or self.env is None:
            self.env = {}
            self.tokens = parse_blocks(self.source, self.env)
        return _lines(self.tokens, self.env, width, look, margin, colour=True)


def _lines(
    tokens: list[Token], env: dict[str, Any], width: int, look: Look, margin: int, *, colour: bool
) -> list[Line]:
    pieces = Layout(look, env, colour=colour).blocks(tokens, width - 2 * margin)
    return [piece.line(width, margin, look.text) for piece in pieces]


class MarkdownText:
    """Feed it with `feed`, end it with `finish`; `lines` are the rows so far. Text is expected to be harmless already."""

    def __init__(self, source: str = "", *, finished: bool = False) -> None:
        self._sections: list[_Section] = []
        self._tail = source
        self._source = [source] if source else []
        self._settled_to = 0
        self._finished = False
        self._drawn: tuple[int, Look, int] | None = None
        self._rows: list[Line] = []
        self._count = 0
        if finished:
            self.finish()

    @property
    def source(self) -> str:
        if len(self._source) > 1:
            self._source = ["".join(self._source)]
        return self._source[0] if self._source else ""

    def feed(self, text: str) -> None:
        self._source.append(text)
        self._tail += text

    def finish(self) -> None:
        """No more text comes; what is on the screen becomes what a complete reading gives."""
        if self._finished:
            return
        self._finished = True
        if has_references(self.source):
            self._restart()
            env: dict[str, Any] = {}
            groups = siblings(parse_blocks(self.source, env))
            self._sections = [_Section("", group, env) for group in groups]
        else:
            self._settle()
            if self._tail.strip():
                env = {}
                groups = siblings(parse_blocks(self._tail, env))
                self._sections += [_Section("", group, env) for group in groups]
        self._tail = ""

    def _restart(self) -> None:
        self._sections = []
        self._drawn = None
        self._tail = ""

    def lines(self, width: int, look: Look, margin: int = 0) -> list[Line]:
        """Rows of exactly `width` cells. The list is the caller's."""
        if not self._finished:
            self._settle()
        if self._drawn != (width, look, margin):
            self._drawn, self._rows, self._count = (width, look, margin), [], 0
        for section in self._sections[self._count :]:
            self._append(self._rows, section.lines(width, look, margin), width, look.text)
        self._count = len(self._sections)
        rows = list(self._rows)
        if self._tail.strip():
            env: dict[str, Any] = {}
            tail = _lines(parse_blocks(self._tail, env), env, width, look, margin, colour=False)
            self._append(rows, tail, width, look.text)
        return rows

    def _append(self, rows: list[Line], more: list[Line], width: int, base: Style) -> None:
        if rows and more:
            rows.append(blank(width, base))
        rows += more

    def release(self) -> None:
        """Forgets the rows; they are made again when asked for."""
        self._drawn, self._rows, self._count = None, [], 0

    def _settle(self) -> None:
        """Moves what has become final from the open end to the sections."""
        if self._settled_to == len(self._tail):
            return
        end = self._tail.rfind("\n") + 1
        if end <= self._settled_to:
            return
        complete = self._tail[:end]
        lines = complete.splitlines(keepends=True) if "\r" not in complete else complete.split("\n")
        cut = settle(complete)
        offsets = [0]
        for line in lines:
            offsets.append(offsets[-1] + len(line))
        for start, stop in cut.final:
            self._sections.append(_Section(complete[offsets[start] : offsets[stop]]))
        self._tail = self._tail[offsets[cut.rest] :]
        self._settled_to = end - offsets[cut.rest]
