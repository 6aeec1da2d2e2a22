"""The gate before parsing: characters that hide text or split words differently in different programs, and size."""

from __future__ import annotations

import re
from collections.abc import Iterator

MAX_CHARS = 64_000

_NEVER = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f\ufff9-\ufffb\ufffd\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)
"""Controls, bidirectional marks, tags, lone surrogates, and the mark this package uses itself."""
_UNQUOTED_NEVER = re.compile(
    "[\u00a0\u00ad\u034f\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200d\u2028\u2029\u202f\u205f-\u2065"
    "\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0]"
)
"""Blanks that are none to the shell, and characters without width."""


def odd_character(text: str) -> str:
    """The first character that must never be in a command that runs by itself, as U+XXXX; "" where there is none."""
    if found := _NEVER.search(text):
        return f"U+{ord(found[0]):04X}"
    if not _UNQUOTED_NEVER.search(text):
        return ""
    # Where here-documents may hold single quotes, quoting can't be told from the characters alone.
    states = (False for _ in text) if "<<" in text else _quoted(text)
    for char, quoted in zip(text, states, strict=True):
        if not quoted and _UNQUOTED_NEVER.match(char):
            return f"U+{ord(char):04X}"
    return ""


def joined_lines(text: str) -> str:
    """Continued lines joined as the shell joins them: not in single quotes, not in comments.

    With here-documents in the text the quotes can't be told apart this way; it is given back as it is then.
    """
    if "\\\n" not in text or "<<" in text:
        return text
    states = list(_states(text))
    out: list[str] = []
    place = 0
    while place < len(text):
        pair = text[place : place + 2]
        if pair[0] != "\\" or states[place] not in ("", '"'):
            pair = pair[0]
        if pair != "\\\n":
            out.append(pair)
        place += len(pair)
    return "".join(out)


def _quoted(text: str) -> Iterator[bool]:
    return (state in ("'", '"') for state in _states(text))


def _states(text: str) -> Iterator[str]:
    """For every character the quote it stands in: "", ', ", or # in a comment."""
    state, escaped, previous = "", False, "\n"
    for char in text:
        if escaped:
            escaped, char = False, "x"
            yield state
        elif state == "'" or state == "#":
            yield state
            state = "" if char == {"'": "'", "#": "\n"}[state] else state
        elif char == "\\":
            escaped = True
            yield state
        elif state == '"':
            yield state
            state = "" if char == '"' else state
        elif char == "#" and previous in " \t\n;&|()":
            state = "#"
            yield state
        else:
            state = char if char in "'\"" else ""
            yield state
        previous = char
