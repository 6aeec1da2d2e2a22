"""CommonMark with tables and strike-through, by markdown-it; HTML is text. Blocks are parsed apart from their inline text,
so that finding out what is final in a growing answer costs little.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from kram.base import Data

_REFERENCE = re.compile(r"^ {0,3}\[[^\]\n]+\]:", re.MULTILINE)


@cache
def _blocks() -> MarkdownIt:
    """Block structure only: inline tokens keep their text in `content` and have no children."""
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table"])
    parser.core.ruler.disable(["inline", "text_join"])
    return parser


@cache
def _inline() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable(["strikethrough"])


def parse_blocks(source: str, env: dict[str, Any] | None = None) -> list[Token]:
    return _blocks().parse(source, env if env is not None else {})


def parse_inline(content: str, env: dict[str, Any] | None = None) -> Sequence[Token]:
    """The tokens of one inline text; the caller must not change them. `env` brings the document's link definitions."""
    if env and env.get("references"):
        return _parsed_inline(content, env)
    return _kept_inline(content)


@lru_cache(maxsize=2_048)
def _kept_inline(content: str) -> Sequence[Token]:
    # The same text is asked for again at every width, and at every frame while it is the open end of an answer.
    return _parsed_inline(content, {})


def _parsed_inline(content: str, env: dict[str, Any]) -> Sequence[Token]:
    tokens = _inline().parseInline(content, env)
    return tuple(tokens[0].children or ()) if tokens else ()


def has_references(source: str) -> bool:
    """Whether a link definition may stand somewhere: then a later line can change an earlier one."""
    return bool(_REFERENCE.search(source))


class Cut(Data):
    """Where a growing text can be cut: `final` are line ranges of blocks that nothing later can change, `rest` the line
    at which the open one begins."""

    final: tuple[tuple[int, int], ...] = ()
    rest: int = 0


_CLOSED_BY_ITSELF = frozenset(("heading_open", "hr"))
_CLOSED_BY_A_BLANK_LINE = frozenset(("paragraph_open", "blockquote_open", "table_open", "fence"))


def settle(source: str) -> Cut:
    """Judges complete lines only. CommonMark is read line by line, and a closed block never opens again: every top-level
    block but the last is final, and the last one too where a blank line has closed it (a list and indented code go on
    behind one)."""
    tops = [token for token in parse_blocks(source) if token.level == 0 and token.map and token.nesting >= 0]
    starts = [token.map[0] for token in tops if token.map]
    if tops and tops[-1].map:
        last, lines = tops[-1], source.count("\n")
        blank_behind = lines > tops[-1].map[1]
        if last.type in _CLOSED_BY_ITSELF or (blank_behind and last.type in _CLOSED_BY_A_BLANK_LINE):
            starts.append(lines)
    if len(starts) < 2:
        return Cut(rest=0)
    ranges = tuple(zip([0, *starts[1:-1]], starts[1:], strict=True))
    return Cut(final=ranges, rest=starts[-1])
