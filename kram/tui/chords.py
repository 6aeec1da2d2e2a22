"""Keys that a terminal without the newer keyboard protocol sends as Escape and something, which Textual does not know."""

from __future__ import annotations

from enum import Enum
from typing import Any

from textual import _ansi_sequences


class Chord(Enum):
    """Named as Textual names keys."""

    ALT_ENTER = "alt+enter"


def teach() -> None:
    """Adds them to Textual's table of sequences; more than once does no harm."""
    table: Any = _ansi_sequences.ANSI_SEQUENCES_KEYS
    table.setdefault("\x1b\r", (Chord.ALT_ENTER,))
    table.setdefault("\x1b\n", (Chord.ALT_ENTER,))
