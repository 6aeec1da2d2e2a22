"""What all dialogs share: they are answered once."""

from __future__ import annotations

from typing import TypeVar

from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen

T = TypeVar("T")


class Dialog(ModalScreen[T]):
    """A second answer, from a key that was pressed twice or came while the dialog closed, does nothing."""

    _answered = False

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        if self._answered:
            return AwaitComplete()
        self._answered = True
        return super().dismiss(result)
