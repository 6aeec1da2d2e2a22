"""What the person said while a turn ran: `steer` joins at the next model call, `queue` waits for the end of the turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from kram.base import new_id
from kram.events import QueuedMessage


class Inbox:
    """Ordered and visible: `changed` is called after every change with what is waiting."""

    def __init__(self, changed: Callable[[tuple[QueuedMessage, ...]], None]) -> None:
        self._changed = changed
        self._items: list[QueuedMessage] = []

    def items(self) -> tuple[QueuedMessage, ...]:
        return tuple(self._items)

    def put(self, text: str, mode: Literal["steer", "queue"]) -> QueuedMessage:
        item = QueuedMessage(id=new_id(), text=text, mode=mode)
        self._items.append(item)
        self._changed(self.items())
        return item

    def take_back(self, item_id: str) -> str:
        """Removes an item and returns its text, "" when it is gone already."""
        for item in self._items:
            if item.id == item_id:
                self._items.remove(item)
                self._changed(self.items())
                return item.text
        return ""

    def claim(self, mode: Literal["steer", "queue"]) -> tuple[QueuedMessage, ...]:
        """Takes everything of that mode, in order."""
        claimed = tuple(item for item in self._items if item.mode == mode)
        if claimed:
            self._items = [item for item in self._items if item.mode != mode]
            self._changed(self.items())
        return claimed

    def clear(self) -> tuple[QueuedMessage, ...]:
        """Takes everything."""
        taken = tuple(self._items)
        if taken:
            self._items.clear()
            self._changed(())
        return taken
