"""Pastes taken out of the terminal's input before anything reads it as keys.

A terminal puts a paste between two marks (bracketed paste). What stands between them is text, whatever it holds: escape
sequences and returns in it are never keys, so that no paste sends a message or answers a dialog. Pure: text in, pieces out.
"""

from __future__ import annotations

from typing import TypeAlias

from kram.base import Data

START = "\x1b[200~"
END = "\x1b[201~"
LEAVE = ("\x1b", "\x03")
"""Keys that, alone and in the middle of a paste without an end, say that there will be none."""


class Pasted(Data):
    """The text of one paste."""

    text: str


Piece: TypeAlias = str | Pasted


class PasteSplitter:
    """`feed` every piece of input in order; `idle` when none came for a while. `holding` says that something waits which
    could be the beginning of a mark."""

    def __init__(self) -> None:
        self._inside = False
        self._paste: list[str] = []
        self._held = ""

    @property
    def holding(self) -> bool:
        return bool(self._held) or bool(self._paste)

    @property
    def pasting(self) -> bool:
        """Whether the input is inside a paste."""
        return self._inside

    def feed(self, text: str) -> list[Piece]:
        """Keys as text for a key parser, and whole pastes, in order."""
        if self._inside and text in LEAVE and not self._held:
            return self._ended()
        text, self._held = self._held + text, ""
        pieces: list[Piece] = []
        while text:
            mark = END if self._inside else START
            before, found, text = text.partition(mark)
            if not found:
                keep = _beginning_of(mark, before)
                self._held = before[len(before) - keep :]
                before = before[: len(before) - keep]
            if self._inside:
                self._paste.append(before)
            elif before:
                pieces.append(before)
            if found and self._inside:
                pieces += self._ended()
            elif found:
                self._inside = True
        return pieces

    def idle(self) -> list[Piece]:
        """Nothing more came: what was held back is what it looks like. A paste whose end is late shows what has come of it,
        and what comes later still belongs to it."""
        held, self._held = self._held, ""
        if not self._inside:
            return [held] if held else []
        self._paste.append(held)
        text = "".join(self._paste)
        self._paste.clear()
        return [Pasted(text=text)] if text else []

    def _ended(self) -> list[Piece]:
        self._inside = False
        text = "".join(self._paste)
        self._paste.clear()
        return [Pasted(text=text)] if text else []


def _beginning_of(mark: str, text: str) -> int:
    """How many characters at the end of a text could be the beginning of a mark."""
    return next((size for size in range(min(len(mark) - 1, len(text)), 0, -1) if mark.startswith(text[-size:])), 0)
