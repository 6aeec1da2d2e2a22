"""One word of shell text: quotes removed the way the shell does it, and what would still be expanded.

The word is read from its raw characters, not from the grammar's pieces, so that both have to agree on where it ends.
"""

from __future__ import annotations

import re

from .ansi import decoded
from .model import UNKNOWN, Word

_EXPANDS = re.compile(r"[A-Za-z0-9_({\[?@*#!$-]")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|.", re.DOTALL)
_BREAKS = frozenset(" \t\n;&|<>()")
_HOMES = re.compile(r"\$(?:\{(?:HOME|OLDPWD|PWD/\.\.)\}|HOME|OLDPWD)(?![A-Za-z0-9_])")
_BRACES = re.compile(r"\{[^{}]*(?:,|\.\.)[^{}]*\}|\{[^{}]*\{")
_ODD_EXPANSION = re.compile(r"\$\{[^}]*@[A-Za-z]\}|\$\{!|\$\{[^}]*[:]?=|\$\[")


class _Reader:
    """Walks over the raw text once. `bare` collects what stood outside quotes, to look for patterns and braces."""

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self.at = 0
        self.out: list[str] = []
        self.bare: list[str] = []
        self.open = ""

    def read(self) -> Word:
        raw = self.raw
        while self.at < len(raw):
            char = raw[self.at]
            if char == "'":
                self._single()
            elif char == '"':
                self._double()
            elif char == "\\":
                self._put(raw[self.at + 1 : self.at + 2], quoted=True)
                self.at += 2
            elif char == "`" or (char == "$" and self._dollar()):
                self._expansion()
            elif char == "$" and raw[self.at + 1 : self.at + 2] in ("'", '"'):
                self._dollar_quote()
            else:
                if char in _BREAKS:
                    self._opened("it is not one word")
                self._put(char)
                self.at += 1
        return self._word()

    def _word(self) -> Word:
        bare, text = "".join(self.bare), "".join(self.out)
        tilde = bare.startswith("~") or re.match(r"[A-Za-z_]\w*=(?:[^:]*:)*~", bare) is not None
        glob = re.search(r"[*?]|\[.+\]", bare, re.DOTALL) is not None
        reason = self.open
        if not reason and _BRACES.search(bare):
            reason = "a brace expansion"
        if not reason and tilde:
            reason = "a home folder (~)"
        only_glob = glob and not reason
        if only_glob:
            reason = "a file name pattern"
        return Word(
            text=text, open=reason, glob=only_glob, tilde=tilde or _HOMES.match(self.raw.lstrip('"')) is not None
        )

    def _put(self, text: str, *, quoted: bool = False) -> None:
        self.out.append(text)
        self.bare.append("\x01" if quoted else text)

    def _opened(self, reason: str) -> None:
        self.open = self.open or reason

    def _single(self) -> None:
        end = self.raw.find("'", self.at + 1)
        if end < 0:
            self._opened("an open quote")
            end = len(self.raw)
        self._put(self.raw[self.at + 1 : end], quoted=True)
        self.at = end + 1

    def _double(self) -> None:
        raw = self.raw
        self.at += 1
        self._put("", quoted=True)
        while self.at < len(raw) and raw[self.at] != '"':
            char = raw[self.at]
            if char == "\\" and raw[self.at + 1 : self.at + 2] in ("$", "`", '"', "\\", "\n"):
                self._put(raw[self.at + 1].replace("\n", ""), quoted=True)
                self.at += 2
            elif char == "`" or (char == "$" and self._dollar()):
                self._expansion()
            else:
                self._put(char, quoted=True)
                self.at += 1
        if self.at >= len(raw):
            self._opened("an open quote")
        self.at += 1

    def _dollar(self) -> bool:
        return _EXPANDS.match(self.raw, self.at + 1) is not None

    def _dollar_quote(self) -> None:
        if self.raw[self.at + 1] == '"':
            self._opened("a translated string")
            self.at += 1
            return
        end = re.compile(r"(?:[^'\\]|\\.)*", re.DOTALL).match(self.raw, self.at + 2)
        stop = end.end() if end else len(self.raw)
        text = decoded(self.raw[self.at + 2 : stop])
        if stop >= len(self.raw):
            self._opened("an open quote")
        if "\0" in text or UNKNOWN in text:
            self._opened("a character that cannot be written down")
        self._put(text, quoted=True)
        self.at = stop + 1

    def _expansion(self) -> None:
        raw, start = self.raw, self.at
        follower = raw[start + 1 : start + 2]
        if raw[start] == "`":
            found = re.compile(r"`(?:[^`\\]|\\.)*`?", re.DOTALL).match(raw, start)
            self.at = found.end() if found else len(raw)
            self._opened("a command substitution")
        elif follower in ("{", "(", "["):
            self.at = _closing(raw, start + 1)
            odd = _ODD_EXPANSION.match(raw, start)
            self._opened("an expansion that can run text" if odd else _kind(raw, start))
        else:
            name = _NAME.match(raw, start + 1)
            self.at = name.end() if name else start + 1
            self._opened(f"the variable {raw[start : self.at]}")
        self.out.append(UNKNOWN)
        self.bare.append("\x01")


def _kind(raw: str, start: int) -> str:
    if raw.startswith("$((", start):
        return "arithmetic"
    return "a command substitution" if raw.startswith("$(", start) else f"the variable {raw[start : start + 40]}"


def _closing(raw: str, start: int) -> int:
    """The end of a bracketed expansion, quotes in it skipped."""
    pairs = {"{": "}", "(": ")", "[": "]"}
    opening, closing = raw[start], pairs[raw[start]]
    depth, at = 0, start
    while at < len(raw):
        char = raw[at]
        if char == "\\":
            at += 1
        elif char == "'":
            end = raw.find("'", at + 1)
            at = end if end > 0 else len(raw)
        elif char == opening:
            depth += 1
        elif char == closing:
            depth -= 1
            if not depth:
                return at + 1
        at += 1
    return len(raw)


def read_word(raw: str) -> Word:
    """Never raises. A word that is not whole or not one word is open."""
    return _Reader(raw).read()
