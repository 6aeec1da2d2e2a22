"""A text to read and scroll: help, the whole of something long. Esc or q closes it."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from .dialog import Dialog


class TextDialog(Dialog[None]):
    DEFAULT_CSS = """
    TextDialog { align: center middle; }
    TextDialog > .dialog { width: 96%; max-width: 110; height: auto; }
    TextDialog VerticalScroll { height: auto; }
    TextDialog Static { height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,ctrl+c,enter,question_mark", "close", show=False, priority=True)
    ]
    AUTO_FOCUS = "VerticalScroll"

    def __init__(self, title: str, text: Content) -> None:
        super().__init__()
        self._title = title
        self._text = text

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(Content(self._title), classes="dialog-title")
            with VerticalScroll(classes="grows"):
                yield Static(self._text)
            yield Static(Content("↑ ↓ scroll · Esc close"), classes="dialog-keys")

    def action_close(self) -> None:
        self.dismiss(None)
