"""What reaches a turn from outside while it runs, or before it begins.

- `steer`: the person's words for the next model call; stored. `queue`: the person's words for after the turn.
- `inject`: one message for the moment the model thinks it is done; stored; a second one is refused until the first was read.
- `note`: something that happened, for the next model call; stored as a notification, never as the person's words.
- `whisper`: a word to the model with the first call of the next turn; never stored.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from kram.base import new_id
from kram.events import QueuedMessage

from .notices import Pending


class Inbox:
    """Ordered and visible: `changed` is called after every change with what of the person's is waiting. While it is paused
    no turn begins; a running one goes on."""

    def __init__(self, changed: Callable[[tuple[QueuedMessage, ...]], None]) -> None:
        self._changed = changed
        self._items: list[QueuedMessage] = []
        self._injected = ""
        self.notices = Pending()
        self._whispers: list[str] = []
        self.paused = False

    def items(self) -> tuple[QueuedMessage, ...]:
        return tuple(self._items)

    # --- the person's words -------------------------------------------------------------------------------------

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
        """Takes everything the person said."""
        taken = tuple(self._items)
        if taken:
            self._items.clear()
            self._changed(())
        return taken

    # --- a host's words -----------------------------------------------------------------------------------------

    def inject(self, text: str) -> bool:
        """False where one waits already."""
        if self._injected:
            return False
        self._injected = text
        return True

    def claim_injected(self) -> str:
        text, self._injected = self._injected, ""
        return text

    def note(self, text: str, tag: str, *, group: str = "", key: str = "") -> None:
        """Of two notes about one thing (`group` and `key`) only the newer is told."""
        self.notices.publish(tag, text, group=group, key=key)

    def whisper(self, text: str) -> None:
        self._whispers.append(text)

    def claim_whispers(self) -> tuple[str, ...]:
        whispers, self._whispers = tuple(self._whispers), []
        return whispers
