"""What waits above the prompt while a turn runs."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from kram.base import one_line
from kram.events import QueuedMessage

SHOWN = 4


class QueueList(Static):
    DEFAULT_CSS = "QueueList { height: auto; max-height: 5; padding: 0 1; display: none; }"

    def __init__(self) -> None:
        super().__init__("", markup=False)

    def show(self, items: tuple[QueuedMessage, ...]) -> None:
        self.display = bool(items)
        marks = {"steer": "↪ joins next", "queue": "⧗ after the turn"}
        rows = [Content(f"{marks[item.mode]}: {one_line(item.text, 200)}") for item in items[:SHOWN]]
        if len(items) > SHOWN:
            rows.append(Content(f"  and {len(items) - SHOWN} more"))
        if items:
            rows[-1] = Content.assemble(rows[-1], ("  (Esc takes them back)", "$foreground 40%"))
        self.update(Content("\n").join(rows))
