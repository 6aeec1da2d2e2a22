"""The side panel: a title and lines that scroll. What the lines say is made in `kram.tui.panels`."""

from __future__ import annotations

from typing import Literal, TypeAlias

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

PanelName: TypeAlias = Literal["context", "route", "strategy", "processes", "todos"]
TITLES: dict[str, str] = {
    "context": "Context",
    "route": "Route of the turn",
    "strategy": "Strategy",
    "processes": "Background processes",
    "todos": "Todo list",
}


class SidePanel(Vertical):
    DEFAULT_CSS = """
    SidePanel { width: 46; height: 1fr; padding: 0 1; display: none; }
    SidePanel.narrow { width: 1fr; height: 45%; dock: bottom; }
    SidePanel Static { height: auto; width: 1fr; }
    SidePanel VerticalScroll { height: 1fr; }
    """

    def __init__(self) -> None:
        super().__init__(id="panel")
        self.showing: PanelName | None = None

    def compose(self) -> ComposeResult:
        yield Static("", classes="panel-title", markup=False)
        with VerticalScroll(can_focus=False):
            yield Static("", id="panel-body", markup=False)

    def show(self, name: PanelName | None, content: Content | None = None) -> None:
        """Opens a panel with its content, or closes it with None."""
        self.showing = name
        self.display = name is not None
        if name is not None:
            self.query_one(".panel-title", Static).update(TITLES[name])
            self.query_one("#panel-body", Static).update(content or Content(""))

    def scroll_lines(self, by_pages: int) -> None:
        """Scrolls what does not fit, by half its height."""
        box = self.query_one(VerticalScroll)
        box.scroll_relative(y=by_pages * max(1, box.size.height // 2), animate=False)
