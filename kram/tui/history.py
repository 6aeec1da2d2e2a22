"""Earlier prompts, walked with the arrow keys; what was being written is kept at the near end."""

from __future__ import annotations

from collections.abc import Callable


class History:
    """`load` is called once, on the first use."""

    def __init__(self, load: Callable[[], list[str]]) -> None:
        self._load = load
        self._items: list[str] | None = None
        self._at = 0
        self._draft = ""

    def items(self) -> list[str]:
        if self._items is None:
            self._items = self._load()
            self._at = len(self._items)
        return self._items

    def add(self, text: str) -> None:
        items = self.items()
        if not items or items[-1] != text:
            items.append(text)
        self._at = len(items)

    def older(self, current: str) -> str | None:
        """The one before, None at the far end."""
        items = self.items()
        if self._at == 0:
            return None
        if self._at == len(items):
            self._draft = current
        self._at -= 1
        return items[self._at]

    def newer(self) -> str | None:
        """The one after, at last what was being written; None when nothing is newer."""
        items = self.items()
        if self._at >= len(items):
            return None
        self._at += 1
        return self._draft if self._at == len(items) else items[self._at]
