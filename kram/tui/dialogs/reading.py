"""Something long to read in sections: open and fold, scroll, copy. Esc closes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from kram.tui.blocks import Block
from kram.tui.widgets.reader import BlockReader

from .dialog import Dialog


class ReadingDialog(Dialog[None]):
    DEFAULT_CSS = """
    ReadingDialog { align: center middle; }
    ReadingDialog > .dialog { width: 96%; height: 96%; }
    ReadingDialog Static { height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,ctrl+c", "close", show=False, priority=True)]
    AUTO_FOCUS = "BlockReader"

    def __init__(self, title: str, blocks: Sequence[Block]) -> None:
        super().__init__()
        self._title = title
        self._blocks = list(blocks)

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(Content(self._title), classes="dialog-title")
            yield BlockReader(self._blocks)
            yield Static(
                Content("↑ ↓ section · Enter open · PgUp PgDn scroll · y copy · Esc close"), classes="dialog-keys"
            )

    def on_mount(self) -> None:
        reader = self.query_one(BlockReader)
        self.call_after_refresh(reader.action_scroll_home)

    def on_conversation_copied(self, event: BlockReader.Copied) -> None:
        event.stop()
        self.notify(f"Copied {len(event.text)} characters", timeout=2, markup=False)

    def action_close(self) -> None:
        self.dismiss(None)
