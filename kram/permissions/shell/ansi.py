"""Decodes the inside of `$'…'` as the shell does."""

from __future__ import annotations

import re

_SIMPLE = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
_ESCAPE = re.compile(
    r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c(.)|(.))", re.DOTALL
)


def decoded(inside: str) -> str:
    """A byte above ASCII, or a value that is no plain character, becomes the mark for unknown text."""
    return _ESCAPE.sub(_one, inside)


def _one(found: re.Match[str]) -> str:
    for group, base in ((1, 16), (2, 16), (3, 16), (4, 8)):
        if found[group]:
            value = int(found[group], base)
            byte = group in (1, 4)
            value &= 0xFF if byte else -1
            return chr(value) if value < (0x80 if byte else 0xD800) else "\ufffd"
    if found[5]:
        return chr(ord(found[5]) & 0x1F)
    return _SIMPLE.get(found[6], "\\" + found[6])
