"""One line of text, or a yes: for renaming and for confirming. Esc gives neither."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from kram.base import visible

from .dialog import Dialog


class AskText(Dialog[str | None]):
    DEFAULT_CSS = """
    AskText { align: center middle; }
    AskText > .dialog { width: 80%; max-width: 90; height: auto; }
    AskText Input, AskText Input:focus { border: none; height: 1; padding: 0; }
    AskText Static { height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,ctrl+c", "close", show=False, priority=True)]

    def __init__(self, title: str, value: str = "") -> None:
        super().__init__()
        self._title = title
        self._value = value

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(Content(visible(self._title)), classes="dialog-title")
            yield Input(self._value, select_on_focus=False)
            yield Static(Content("Enter accept · Esc cancel"), classes="dialog-keys")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.dismiss(event.value.strip())

    def action_close(self) -> None:
        self.dismiss(None)
