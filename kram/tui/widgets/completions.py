"""The list above the prompt while a command or a file is being named."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.widgets import Static

from kram.base import Data, one_line

SHOWN = 8


class Completion(Data):
    """`insert` takes the place of what was typed; `text` and `note` are shown."""

    insert: str
    text: str
    note: str = ""


class Completions(Static):
    DEFAULT_CSS = "Completions { height: auto; max-height: 8; width: 1fr; padding: 0 1; display: none; }"

    def __init__(self) -> None:
        super().__init__("", markup=False, id="completions")
        self._items: list[Completion] = []
        self._at = 0

    @property
    def open(self) -> bool:
        return bool(self._items)

    def offer(self, items: Sequence[Completion]) -> None:
        self._items, self._at = list(items), 0
        self.display = bool(items)
        self._draw()

    def move(self, step: int) -> None:
        self._at = (self._at + step) % len(self._items)
        self._draw()

    def chosen(self) -> Completion:
        return self._items[self._at]

    def _draw(self) -> None:
        first = max(0, min(self._at - SHOWN // 2, len(self._items) - SHOWN))
        rows = []
        for place, item in enumerate(self._items[first : first + SHOWN], start=first):
            here = place == self._at
            rows.append(
                Content.assemble(
                    ("› " if here else "  ", "$accent"),
                    (one_line(item.text, 60), "bold" if here else ""),
                    (f"  {one_line(item.note, 80)}" if item.note else "", "$foreground 55%"),
                )
            )
        self.update(Content("\n").join(rows))
