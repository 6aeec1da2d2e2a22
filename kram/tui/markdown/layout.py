"""Block tokens as rows: headings, paragraphs, lists, quotes, code, tables, rules. One blank row between blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from markdown_it.token import Token
from rich.segment import Segment
from rich.style import Style

from kram.tui.lines import Look, cells, cut_lines, wrap

from .code import code_pieces
from .inline import spans
from .piece import Piece, from_rows, indented
from .table import table_pieces

MIN_WIDTH = 8
_TASKS = {"[ ] ": "☐ ", "[x] ": "☑ ", "[X] ": "☑ "}
_BULLETS = ("•", "◦", "▪")


class Layout:
    """Lays out one run of tokens. `colour` False leaves code plain, for a block that still grows."""

    def __init__(self, look: Look, env: dict[str, Any], *, colour: bool = True) -> None:
        self._look = look
        self._env = env
        self._colour = colour

    def blocks(self, tokens: list[Token], width: int, *, base: Style | None = None, depth: int = 0) -> list[Piece]:
        """Rows of sibling blocks; tight paragraphs (of a list) stand without a blank row between them."""
        width = max(MIN_WIDTH, width)
        pieces: list[Piece] = []
        for group in siblings(tokens):
            rows = self._block(group, width, base or self._look.text, depth)
            if pieces and rows and not group[0].hidden and not _nested_list(group[0], depth):
                pieces.append(Piece([], 0))
            pieces += rows
        return pieces

    def _block(self, group: list[Token], width: int, base: Style, depth: int) -> list[Piece]:
        head, look = group[0], self._look
        makers: dict[str, Callable[[], list[Piece]]] = {
            "paragraph_open": lambda: self._paragraph(group[1].content, base, width),
            "heading_open": lambda: self._heading(head, group[1].content, width),
            "fence": lambda: self._code(head, "".join(head.info.split()[:1]), width),
            "code_block": lambda: self._code(head, "", width),
            "hr": lambda: [Piece([Segment("─" * width, look.faint)], width, mute=True)],
            "blockquote_open": lambda: self._quote(group[1:-1], width, depth),
            "bullet_list_open": lambda: self._list(group, width, base, depth),
            "ordered_list_open": lambda: self._list(group, width, base, depth),
            "table_open": lambda: table_pieces(group, width, look, self._env),
        }
        make = makers.get(head.type)
        return make() if make else self._paragraph(head.content, base, width) if head.content else []

    def _paragraph(self, content: str, base: Style, width: int) -> list[Piece]:
        return from_rows(wrap(spans(cut_lines(content).replace("\t", "    "), base, self._look, self._env), width))

    def _heading(self, head: Token, content: str, width: int) -> list[Piece]:
        styles = self._look.heading
        return self._paragraph(content, styles[min(int(head.tag[1:]), len(styles)) - 1], width)

    def _code(self, token: Token, language: str, width: int) -> list[Piece]:
        return code_pieces(token.content, language, width, self._look, colour=self._colour)

    def _quote(self, inner: list[Token], width: int, depth: int) -> list[Piece]:
        bar = Segment("▎ ", self._look.first)
        rows = self.blocks(inner, width - 2, base=self._look.muted, depth=depth)
        return indented(rows, bar, bar, decoration=True)

    def _list(self, group: list[Token], width: int, base: Style, depth: int) -> list[Piece]:
        ordered = group[0].type == "ordered_list_open"
        items = siblings(group[1:-1])
        loose = any(token.type == "paragraph_open" and not token.hidden for item in items for token in _direct(item))
        number = int(group[0].attrGet("start") or 1) if ordered else 0
        marker_width = len(str(number + len(items) - 1)) + 2 if ordered else 2
        pieces: list[Piece] = []
        for index, item in enumerate(items):
            mark = f"{number + index}.".ljust(marker_width) if ordered else f"{_BULLETS[min(depth, 2)]} "
            rows = self._item(item[1:-1], width - marker_width, base, depth)
            if pieces and loose:
                pieces.append(Piece([], 0))
            first = Segment(mark, self._look.second)
            pieces += indented(rows, first, Segment(" " * cells(mark), base), decoration=False)
        return pieces

    def _item(self, inner: list[Token], width: int, base: Style, depth: int) -> list[Piece]:
        if len(inner) > 1 and inner[0].type == "paragraph_open" and inner[1].content[:4] in _TASKS:
            box, text = _TASKS[inner[1].content[:4]], inner[1].content[4:]
            rows = self._paragraph(text, base, width - 2)
            done = Segment(box, self._look.success if box == "☑ " else self._look.muted)
            first = indented(rows, done, Segment("  ", base), decoration=False)
            rest = self.blocks(inner[3:], width, base=base, depth=depth + 1)
            return first + rest
        return self.blocks(inner, width, base=base, depth=depth + 1) or [Piece([], 0)]


def siblings(tokens: list[Token]) -> list[list[Token]]:
    """The tokens of each block on this level, from its opening to its closing one."""
    groups: list[list[Token]] = []
    current: list[Token] = []
    depth = 0
    for token in tokens:
        current.append(token)
        depth += token.nesting
        if depth == 0:
            groups.append(current)
            current = []
    if current:
        groups.append(current)
    return groups


def _direct(item: list[Token]) -> list[Token]:
    level = item[0].level + 1
    return [token for token in item if token.level == level and token.nesting == 1]


def _nested_list(head: Token, depth: int) -> bool:
    return depth > 0 and head.type in ("bullet_list_open", "ordered_list_open")
