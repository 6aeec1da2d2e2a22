"""Source code with colours: pygments, only for languages that are named, never guessed. Tokens are kept per text, large
texts are coloured page by page when a row is looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import TypeAlias

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Token, _TokenType
from pygments.util import ClassNotFound
from rich.segment import Segment

from kram.tui.lines import Look, cells, chop, cut_line, fit

from .piece import Piece

TokenLine: TypeAlias = tuple[tuple[_TokenType, str], ...]

TAB = "    "
PAGE_LINES = 100
EAGER_LINES = 200
_LANGUAGE_OF_SUFFIX = {
    "bash": "bash", "c": "c", "cc": "cpp", "cfg": "ini", "cpp": "cpp", "cs": "csharp", "css": "css", "go": "go",
    "h": "c", "hpp": "cpp", "html": "html", "ini": "ini", "java": "java", "js": "javascript", "json": "json",
    "jsx": "jsx", "kt": "kotlin", "lua": "lua", "md": "markdown", "php": "php", "pl": "perl", "py": "python",
    "pyi": "python", "rb": "ruby", "rs": "rust", "scala": "scala", "sh": "bash", "sql": "sql", "swift": "swift",
    "tcss": "css", "toml": "toml", "ts": "typescript", "tsx": "tsx", "xml": "xml", "yaml": "yaml", "yml": "yaml",
}  # fmt: skip


def language_of(path: str) -> str:
    """The language that a file name's ending names, "" for none."""
    return _LANGUAGE_OF_SUFFIX.get(path.rpartition(".")[2].lower(), "")


@cache
def _lexer(language: str) -> Lexer | None:
    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def known(language: str) -> bool:
    return bool(language) and len(language) < 40 and _lexer(language.lower()) is not None


@lru_cache(maxsize=256)
def token_lines(source: str, language: str) -> tuple[TokenLine, ...]:
    """The tokens of each line. An unknown language is one plain token a line."""
    lexer = _lexer(language.lower()) if language and len(language) < 40 else None
    if lexer is None:
        return tuple(((Token, line),) if line else () for line in source.split("\n"))
    lines: list[TokenLine] = []
    current: list[tuple[_TokenType, str]] = []
    for kind, value in lexer.get_tokens(source):
        first, *more = value.split("\n")
        if first:
            current.append((kind, first))
        for part in more:
            lines.append(tuple(current))
            current = [(kind, part)] if part else []
    lines.append(tuple(current))
    return tuple(lines)


def line_segments(tokens: TokenLine, look: Look) -> list[Segment]:
    return [Segment(value, look.token(kind)) for kind, value in tokens]


def code_pieces(source: str, language: str, width: int, look: Look, *, colour: bool = True) -> list[Piece]:
    """Rows of a code block on its own ground; long lines are wrapped by cells and copied whole."""
    lines = [cut_line(line) for line in source.replace("\t", TAB).removesuffix("\n").split("\n")]
    coloured = colour and known(language)
    pages = [lines[at : at + PAGE_LINES] for at in range(0, len(lines), PAGE_LINES)] if coloured else []
    eager = len(lines) <= EAGER_LINES
    tokens = token_lines("\n".join(lines), language) if coloured and eager else ()
    pieces: list[Piece] = []
    if language:
        label = fit(language, width - 2)
        pieces.append(Piece(_panel([Segment(label, look.code_muted)], cells(label), width, look), width, mute=True))
    for index, line in enumerate(lines):
        if coloured and not eager:
            make = _page_line(pages[index // PAGE_LINES], index % PAGE_LINES, language, look)
        elif coloured and index < len(tokens):
            make = _known_line(tokens[index], look)
        else:
            make = _plain_line(line, look)
        pieces += _code_rows(line, make, width, look, lazy=not eager)
    return pieces


_Make: TypeAlias = Callable[[], list[Segment]]


def _plain_line(line: str, look: Look) -> _Make:
    return lambda: [Segment(line, look.code)]


def _known_line(tokens: TokenLine, look: Look) -> _Make:
    return lambda: line_segments(tokens, look)


def _page_line(page: list[str], index: int, language: str, look: Look) -> _Make:
    def make() -> list[Segment]:
        tokens = token_lines("\n".join(page), language)
        return line_segments(tokens[index], look) if index < len(tokens) else [Segment(page[index], look.code)]

    return make


def _code_rows(line: str, make: _Make, width: int, look: Look, *, lazy: bool) -> list[Piece]:
    room = max(1, width - 2)
    used = cells(line)
    if used <= room:

        def whole() -> list[Segment]:
            return _panel(make(), used, width, look)

        return [Piece(whole if lazy else whole(), width, left=1)]
    rows: list[Piece] = []
    rest = make()
    while rest:
        taken, rest, size = _take(rest, room)
        rows.append(Piece(_panel(taken, size, width, look), width, left=1, join="" if rows else None))
    return rows


def _take(segments: list[Segment], room: int) -> tuple[list[Segment], list[Segment], int]:
    """Segments of at most `room` cells, those that are left, and the width taken."""
    taken: list[Segment] = []
    used = 0
    for index, (text, style, _) in enumerate(segments):
        size = cells(text)
        if used + size <= room:
            taken.append(Segment(text, style))
            used += size
            continue
        if used < room:
            piece, text = chop(text, room - used)
            if used and used + cells(piece) > room:
                text = piece + text
            else:
                taken.append(Segment(piece, style))
                used += cells(piece)
        left = [Segment(text, style)] if text else []
        return taken, [*left, *segments[index + 1 :]], used
    return taken, [], used


def _panel(segments: list[Segment], used: int, width: int, look: Look) -> list[Segment]:
    bar = "│" if look.palette.code == look.palette.background else " "
    return [Segment(bar, look.code_muted), *segments, Segment(" " * (width - 1 - used), look.code)]
