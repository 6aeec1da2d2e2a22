"""What a text is made of, in eight counts that tokenisers care about: a tokeniser's figure is close to a weighted sum of them.

Counted over UTF-8 bytes by table and search, some 30 MB a second. A word of letters is about one token everywhere, a
character of Chinese about one, a digit one or a third: that is what the weights of a model tell apart (see `calibration`).
"""

from __future__ import annotations

from typing import TypeAlias

Features: TypeAlias = tuple[int, int, int, int, int, int, int, int]
"""words, capitals inside words, digits, runs of punctuation, further punctuation, line ends, CJK characters, other
characters beyond ASCII"""

NOTHING: Features = (0, 0, 0, 0, 0, 0, 0, 0)


def _kind(byte: int) -> str:
    character = chr(byte)
    if byte >= 0x80:
        # The first byte of a character says where it is from; the bytes that follow are of no interest.
        return "x" if byte < 0xC0 else "C" if 0xE3 <= byte <= 0xED else "o"
    if character.isalpha():
        return "A" if character.isupper() else "a"
    if character in "\r\n":
        return "\n"
    return "0" if character.isdigit() else " " if character in " \t" else "."


_KINDS = bytes(ord(_kind(byte)) for byte in range(256))


def _only(*kept: str) -> bytes:
    """A table that leaves the first kind, turns the others named into it, and everything else into a dash."""
    return bytes(ord(kept[0]) if chr(byte) in kept else ord("-") for byte in range(256))


_LETTERS, _MARKS, _ENDS = _only("a", "A"), _only("."), _only("\n")


def features(text: str) -> Features:
    """The eight counts; any text, half surrogates included."""
    kinds = text.encode("utf-8", "surrogatepass").translate(_KINDS)
    runs = _runs(kinds.translate(_MARKS), b".")
    return (
        _runs(kinds.translate(_LETTERS), b"a"),
        kinds.count(b"aA") + kinds.count(b"AAA"),
        kinds.count(b"0"),
        runs,
        kinds.count(b".") - runs,
        _runs(kinds.translate(_ENDS), b"\n"),
        kinds.count(b"C"),
        kinds.count(b"o"),
    )


def _runs(marked: bytes, kind: bytes) -> int:
    return marked.count(b"-" + kind) + marked.startswith(kind)
