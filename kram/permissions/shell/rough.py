"""Rough readings of text that is not understood, used only to find denied commands in it. Linear in the text's length."""

from __future__ import annotations

import re
from collections.abc import Iterator

_CUTS = re.compile(r"[;&|\n\r(){}`<>\x0b\x0c]|\$\(")
_BLANKS = re.compile(r"[\s\u00a0\u2000-\u200b\u202f\u205f\u3000\ufeff]+")
_KEYWORDS = frozenset({
    "if", "then", "else", "elif", "fi", "while", "until", "do", "done", "for", "case", "esac", "select", "function",
    "coproc", "!", "time", "in",
})  # fmt: skip
_TOKEN = re.compile(r"""'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^'"\\]""", re.DOTALL)


def suspects(text: str) -> Iterator[tuple[str, ...]]:
    """Word lists that could be commands: cut at operators with quotes respected, and once more with none respected."""
    text = text.replace("\\\n", "")
    seen: set[tuple[str, ...]] = set()
    for piece in [*_quoted_pieces(text), *_CUTS.split(text)]:
        words = _words(piece)
        if words and words not in seen:
            seen.add(words)
            yield words


def _quoted_pieces(text: str) -> list[str]:
    pieces: list[str] = []
    current: list[str] = []
    for found in _TOKEN.finditer(text):
        token = found[0]
        if len(token) == 1 and _CUTS.match(token):
            pieces.append("".join(current))
            current = []
        elif token[0] in "'\"":
            current.append(token[1:-1].replace("\n", " "))
        else:
            current.append(token[-1])
    pieces.append("".join(current))
    return pieces


def _words(piece: str) -> tuple[str, ...]:
    words = [re.sub(r"[\"'\\]", "", word) for word in _BLANKS.split(piece)]
    words = [word for word in words if word]
    while words and (words[0] in _KEYWORDS or re.match(r"[A-Za-z_]\w*\+?=", words[0])):
        words.pop(0)
    return tuple(words)
