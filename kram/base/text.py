"""The one sanitiser between foreign text and the terminal, and a few ways to shorten text.

What comes out of `visible` holds no character that a terminal obeys or that hides from the eye: C0 (but newline and tab),
DEL, C1, bidi controls, zero-width and tag characters, variation selectors, lone surrogates. They are shown as
escapes (`\\x1b`, `\\u202e`); joiners and selectors that only shape an emoji are dropped.
"""

from __future__ import annotations

import re

_CONTROLS = r"\x00-\x08\x0b-\x1f\x7f-\x9f"
_HIDDEN = (
    r"\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    r"\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_SURROGATES = r"\ud800-\udfff"
_UNSAFE = re.compile(f"[{_CONTROLS}{_HIDDEN}{_SURROGATES}]")
_UNSAFE_ON_A_LINE = re.compile(f"[\t\n{_CONTROLS}{_HIDDEN}{_SURROGATES}]")
_EMOJI_SHAPING = re.compile("(?<=[^\x00-\u024f])[\u200d\ufe0e\ufe0f]+")
_ANSI = re.compile(
    r"""
    \x1b\[ [0-?]* [ -/]* [@-~]?            # CSI
    | \x9b [0-?]* [ -/]* [@-~]?            # CSI, one character
    | (?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?   # OSC, DCS, SOS, PM, APC
    | \x1b [ -/]* [0-~]?                   # everything shorter
    """,
    re.VERBOSE,
)
_RUNS_OF_SPACE = re.compile(r"\s+")


def visible(text: str, *, keep_newlines: bool = True) -> str:
    """The text with nothing in it that a terminal obeys or an eye misses. Newlines and tabs stay, or are shown as `\\n`
    and `\\t` without `keep_newlines`. `\\r\\n` is a newline. Harmless text comes back as it is, in linear time."""
    unsafe = _UNSAFE if keep_newlines else _UNSAFE_ON_A_LINE
    if not unsafe.search(text):
        return text
    text = _EMOJI_SHAPING.sub("", text.replace("\r\n", "\n"))
    return unsafe.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    if character == "\n":
        return "\\n"
    if character == "\t":
        return "\\t"
    code = ord(character)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def strip_ansi(text: str) -> str:
    """Without escape sequences, complete or cut off. A title or clipboard sequence never swallows more than its line."""
    return _ANSI.sub("", text) if "\x1b" in text or not text.isascii() else text


def program_output(text: str) -> str:
    """What a terminal would show in the end of a program's output: colours gone, a line rewritten by `\\r` in its last form."""
    text = strip_ansi(text).replace("\r\n", "\n")
    if "\r" in text:
        text = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    return visible(text)


def cut(text: str, limit: int) -> str:
    """At most `limit` characters; an ellipsis is the last where something was left out."""
    if len(text) <= limit:
        return text
    return text[: limit - 1] + "…" if limit > 0 else ""


def head_tail(text: str, limit: int, marker: str = "\n… {n} characters left out …\n") -> str:
    """Two thirds of `limit` characters from the head and one third from the tail, around the marker; `{n}` in it becomes
    the number of characters that are missing. The marker comes on top of `limit`."""
    if len(text) <= limit:
        return text
    head = limit * 2 // 3
    tail = limit - head
    between = marker.replace("{n}", str(len(text) - limit))
    return text[:head] + between + (text[len(text) - tail :] if tail else "")


def one_line(text: str, limit: int) -> str:
    """On one line: runs of white space are one space, the rest made visible, at most `limit` characters."""
    # More than this can't survive the cut, and collapsing a megabyte for sixty characters is a waste.
    start = text[: limit * 8 + 64]
    return cut(visible(_RUNS_OF_SPACE.sub(" ", start).strip(), keep_newlines=False), limit)
