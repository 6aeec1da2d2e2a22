"""Turns almost-JSON into JSON without ever looking inside a string: fences, single quotes, bare keys, Python words, commas.

What is cut off is never closed: an open string, bracket or brace raises `CutOff`. Anything else that is no JSON raises
`Malformed`.
"""

from __future__ import annotations

import json
import re

_FENCE = re.compile(r"^\s*```[a-zA-Z]*\s*\n?(?P<body>.*?)\n?\s*```\s*$", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_$][\w$-]*")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORDS = {"True": "true", "False": "false", "None": "null", "true": "true", "false": "false", "null": "null"}
_SPACE = " \t\r\n"
_OPEN = {"{": "}", "[": "]"}


class CutOff(ValueError):
    """The text ends inside a value."""


class Malformed(ValueError):
    """The text is no JSON, and not for being cut off."""


def repair(text: str) -> str:
    """JSON text of the same values. Raises `CutOff` or `Malformed`."""
    if fenced := _FENCE.match(text):
        text = fenced["body"]
    text = text.strip()
    if re.match(r"""["'\w$-]+["']?\s*:""", text):
        text = "{" + text + "}"
    return _Scanner(text).run()


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._out: list[str] = []
        self._open: list[str] = []

    def run(self) -> str:
        while self._at < len(self._text):
            self._step()
        if self._open:
            raise CutOff("it ends before it is closed")
        return "".join(self._out)

    def _step(self) -> None:
        char = self._text[self._at]
        if char in _SPACE:
            self._emit(char, 1)
        elif char in "\"'":
            self._string(char)
        elif char in _OPEN:
            self._open.append(_OPEN[char])
            self._emit(char, 1)
        elif char in "}]":
            if not self._open or self._open.pop() != char:
                raise Malformed(f"an unexpected '{char}' at character {self._at}")
            self._drop_comma()
            self._emit(char, 1)
        elif char in ",:":
            self._emit(char, 1)
        elif self._text.startswith(("\\n", "\\t", "\\r"), self._at):
            # White space that was escaped once too often, outside of any string.
            self._emit(" ", 2)
        elif number := _NUMBER.match(self._text, self._at):
            self._emit(number[0], len(number[0]))
        elif word := _WORD.match(self._text, self._at):
            self._word(word[0])
        else:
            raise Malformed(f"an unexpected '{char}' at character {self._at}")

    def _emit(self, text: str, length: int) -> None:
        self._out.append(text)
        self._at += length

    def _word(self, word: str) -> None:
        following = self._text[self._at + len(word) :].lstrip()
        if following.startswith(":"):
            self._emit(json.dumps(word), len(word))
        elif word in _WORDS:
            self._emit(_WORDS[word], len(word))
        elif not following:
            raise CutOff("it ends in a word")
        else:
            raise Malformed(f"an unexpected word '{word[:40]}'")

    def _string(self, quote: str) -> None:
        """Copies a string; raw line breaks in it are escaped, everything else stays."""
        content: list[str] = []
        position = self._at + 1
        while True:
            if position >= len(self._text):
                raise CutOff("it ends inside a string")
            char = self._text[position]
            if char == "\\":
                if position + 1 >= len(self._text):
                    raise CutOff("it ends inside a string")
                pair = self._text[position : position + 2]
                content.append("'" if pair == "\\'" else pair)
                position += 2
                continue
            if char == quote:
                break
            content.append(_escaped(char, quote))
            position += 1
        self._emit('"' + "".join(content) + '"', position + 1 - self._at)

    def _drop_comma(self) -> None:
        """Takes back a trailing comma."""
        index = len(self._out) - 1
        while index >= 0 and self._out[index] in _SPACE:
            index -= 1
        if index >= 0 and self._out[index] == ",":
            del self._out[index]


def _escaped(char: str, quote: str) -> str:
    if char == '"' and quote == "'":
        return '\\"'
    return json.dumps(char)[1:-1] if char < " " else char
