"""What every block of the transcript is: a piece of the conversation that renders itself for a width and can be copied.

A block changes only through its own methods, and each change raises `version`; what was rendered for one version, width
and look stays right. Blocks know no widget, no clock and no neighbour.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from kram.tui.lines import Line, Lines, Look


class Block(ABC):
    """`key` names it within the transcript; `at_ns` is the time of the entry it came from (0: unknown).

    - `foldable` blocks have a header row (the first) that opens and closes them.
    - `tight` blocks stand without a blank row between them.
    - `running` blocks have a header that changes while time passes; `header` draws it without the rest.
    - `settled` is False for what streams in and will be replaced by a stored entry.
    """

    kind: ClassVar[str] = ""

    def __init__(self, key: str, *, at_ns: int = 0) -> None:
        self.key = key
        self.at_ns = at_ns
        self.version = 0
        self.folded = True
        self.settled = True

    @property
    def foldable(self) -> bool:
        return False

    @property
    def tight(self) -> bool:
        return False

    @property
    def running(self) -> bool:
        return False

    @property
    def artifact(self) -> str:
        """The id of the artifact that holds what is too long to be shown, "" for none."""
        return ""

    def toggle(self) -> bool:
        """Opens or closes it; False where there is nothing to fold."""
        if not self.foldable:
            return False
        self.folded = not self.folded
        self.changed()
        return True

    def changed(self) -> None:
        self.version += 1

    def release(self, *, parse: bool = True) -> bool:
        """Forgets what it has laid out, and what it read to do so with `parse`, to give memory back; `render` makes it
        again. Says whether there was anything."""
        return False

    def header(self, width: int, look: Look, now_s: float) -> Line | None:
        """The first row at a time of the monotonic clock; only for running blocks."""
        return None

    @abstractmethod
    def render(self, width: int, look: Look, now_s: float = 0.0) -> Lines:
        """Rows of exactly `width` cells, at least one."""

    @abstractmethod
    def estimate(self, width: int) -> int:
        """About how many rows `render` would give, from the length of the text alone."""

    @abstractmethod
    def plain(self) -> str:
        """The logical text, for copying and searching: no gutter, no wrapping, nothing hidden, whatever is folded."""


def estimated_rows(text: str, width: int) -> int:
    """Rows of a text if its lines were filled evenly: cheap, and right within a few."""
    return 1 + text.count("\n") + len(text) // max(8, width)
