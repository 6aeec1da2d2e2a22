"""The one screen a session lives on: conversation, queue, prompt, status line, and a panel beside them."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from kram.tui.widgets.completions import Completions
from kram.tui.widgets.conversation import Conversation
from kram.tui.widgets.panel import SidePanel
from kram.tui.widgets.prompt import PLACEHOLDER, Prompt
from kram.tui.widgets.queue import QueueList
from kram.tui.widgets.route_bar import RouteBar
from kram.tui.widgets.status import StatusLine

NARROW = 100
READING = "↑ ↓ block · Enter fold · y copy · o whole output · Esc back to the prompt"


class ChatScreen(Screen[None]):
    """Layout only; what happens on it is the desk's (`kram.tui.desk`)."""

    AUTO_FOCUS = "#prompt"
    DEFAULT_CSS = """
    ChatScreen { layout: vertical; }
    ChatScreen #main { height: 1fr; }
    ChatScreen #talk { width: 1fr; height: 1fr; }
    ChatScreen #welcome { height: auto; padding: 2 4; width: 1fr; display: none; }
    ChatScreen #below { height: 1; width: auto; padding: 0 1; display: none; dock: bottom; }
    ChatScreen #prompt-box { height: auto; width: 1fr; }
    ChatScreen #prompt-mark { width: 2; height: 1; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._early: list[events.Key | events.Paste] | None = []

    def compose(self) -> ComposeResult:
        with Horizontal(id="main"):
            with Vertical(id="talk"):
                yield Static("", id="welcome", markup=False)
                yield Conversation()
                yield Static("", id="below", markup=False)
            yield SidePanel()
        yield RouteBar()
        yield QueueList()
        yield Completions()
        with Horizontal(id="prompt-box"):
            yield Static("› ", id="prompt-mark", markup=False)
            yield Prompt()
        yield StatusLine()

    def on_key(self, event: events.Key) -> None:
        """A key that came before the prompt had the focus is the prompt's all the same."""
        if self._early is not None:
            event.stop()
            self._early.append(event)

    def on_paste(self, event: events.Paste) -> None:
        if self._early is not None:
            event.stop()
            self._early.append(event)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The prompt is there: what was typed meanwhile reaches it, in order. It says what keys do when it has them not."""
        self.prompt.placeholder = READING if event.widget is self.conversation else PLACEHOLDER
        early, self._early = self._early, None
        for kept in early or ():
            self.prompt.post_message(_again(kept))

    @property
    def conversation(self) -> Conversation:
        return self.query_one(Conversation)

    @property
    def prompt(self) -> Prompt:
        return self.query_one(Prompt)

    @property
    def status(self) -> StatusLine:
        return self.query_one(StatusLine)

    @property
    def panel(self) -> SidePanel:
        return self.query_one(SidePanel)

    @property
    def queue(self) -> QueueList:
        return self.query_one(QueueList)

    @property
    def route_bar(self) -> RouteBar:
        return self.query_one(RouteBar)

    @property
    def completions(self) -> Completions:
        return self.query_one(Completions)

    def show_welcome(self, content: Content | None) -> None:
        """An empty session says where it is; the first entry takes its place."""
        box = self.query_one("#welcome", Static)
        box.display = content is not None
        self.conversation.display = content is None
        if content is not None:
            box.update(content)

    def on_conversation_lines_below(self, event: Conversation.LinesBelow) -> None:
        below = self.query_one("#below", Static)
        below.display = event.count > 0
        new = f" · {event.new} new" if event.new else ""
        below.update(Content(f"↓ {event.count} lines below{new} · Ctrl+End"))

    def on_resize(self) -> None:
        self.panel.set_class(self.size.width < NARROW, "narrow")


def _again(event: events.Key | events.Paste) -> events.Key | events.Paste:
    """A fresh copy: an event that was handled once is not handled again."""
    if isinstance(event, events.Paste):
        return events.Paste(event.text)
    # Before the terminal was raw, Enter was a line feed.
    return events.Key("enter", "\r") if event.key == "ctrl+j" else events.Key(event.key, event.character)
