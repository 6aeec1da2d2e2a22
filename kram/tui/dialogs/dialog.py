"""What all dialogs share: they are answered once, and what grows in them never pushes their last lines off the screen."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen

T = TypeVar("T")


class Dialog(ModalScreen[T]):
    """Widgets of class `grows` get what `FIXED_ROWS` (border, title, keys and kin) leave of the screen.

    A second answer, from a key that was pressed twice or came while the dialog closed, does nothing.
    """

    FIXED_ROWS: ClassVar[int] = 6
    _answered = False

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        if self._answered:
            return AwaitComplete()
        self._answered = True
        return super().dismiss(result)

    def on_resize(self) -> None:
        room = max(1, self.size.height - self.FIXED_ROWS)
        for growing in self.query(".grows"):
            growing.styles.max_height = room
