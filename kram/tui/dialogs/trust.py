"""The trust dialog: what a project would bring, file by file, and what changed since it was trusted. The safe answer is no.

Keys count only after 400 ms without one; what was typed until then goes to `spill`, so that no early word is lost.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from kram.base import one_line, visible
from kram.config import TrustItem, TrustReview

from .dialog import Dialog
from .difftext import diff_text
from .guard import KeyGuard

FAINT = "$foreground 60%"
_MARKS = {"+": ("+", "$success"), "-": ("-", "$error"), "~": ("~", "$warning"), "": (" ", FAINT)}
_SINCE = {"+": "new since you trusted this project", "-": "gone", "~": "changed since you trusted it", "": ""}


class TrustDialog(Dialog[bool | None]):
    """Dismissed with True (trust), False (no), or None where it was closed without an answer."""

    DEFAULT_CSS = """
    TrustDialog { align: center middle; }
    TrustDialog > .dialog { width: 100%; max-width: 118; height: auto; }
    TrustDialog Static { height: auto; width: 1fr; }
    TrustDialog OptionList { height: auto; border: none; padding: 0; background: transparent; }
    TrustDialog VerticalScroll { height: auto; min-height: 2; }
    TrustDialog #files { margin: 1 0 0 0; }
    TrustDialog #answers { margin: 1 0 0 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "file(-1)", show=False),
        Binding("down", "file(1)", show=False),
        Binding("pageup", "scroll(-1)", show=False),
        Binding("pagedown,space", "scroll(1)", show=False),
        Binding("left,right,tab,shift+tab", "other", show=False, priority=True),
        Binding("escape,ctrl+c", "leave", show=False, priority=True),
    ]
    AUTO_FOCUS = ""
    FIXED_ROWS = 12

    def __init__(
        self,
        folder: str,
        found: TrustReview,
        *,
        trusted: bool = False,
        spill: Callable[[events.Key], None] = lambda key: None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        self._folder = folder
        self._found = found
        self._trusted = trusted
        self._spill = spill
        self._guard = KeyGuard(monotonic)
        self._yes = False

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog ask"):
            yield Static(Content("Do you trust this project?"), classes="dialog-title")
            yield Static(self._lead())
            yield OptionList(*(Option(_row(item)) for item in self._found.items), id="files")
            yield Static("", id="about")
            with VerticalScroll(id="content", classes="dialog-box"):
                yield Static("", id="text")
            yield Static(self._answers(), id="answers")
            yield Static(
                Content("↑ ↓ file · PgUp PgDn scroll · ← → Enter answer · y trust · n not now"), classes="dialog-keys"
            )

    def on_mount(self) -> None:
        self._guard.restart()
        files = self.query_one("#files", OptionList)
        files.can_focus = False
        self.query_one("#content").can_focus = False
        if self._found.items:
            files.highlighted = 0
        self._show_file()

    def on_resize(self) -> None:
        """The list gets a third of the room at most, the file's text the rest."""
        room = max(3, self.size.height - self.FIXED_ROWS)
        rows = min(len(self._found.items), max(1, room // 3))
        self.query_one("#files").styles.max_height = rows
        self.query_one("#content").styles.max_height = max(2, room - rows)

    # --- what is shown ------------------------------------------------------------------------------------------

    def _lead(self) -> Content:
        place = Content.styled(one_line(self._folder, 200), "bold")
        problem = self._found.state.problem
        if problem:
            return Content("\n").join([place, Content.styled(f"It cannot be trusted: {visible(problem)}", "$error")])
        if self._trusted:
            words = "You trust it: all of this takes part."
        elif self._found.state.standing == "changed":
            words = (
                "You answered before, but what it brings has changed. Nothing of it is used until you trust it again."
            )
        else:
            words = "It brings what stands below. Nothing of it is used until you trust it: neither run nor sent to a model."
        return Content("\n").join([place, Content(words)])

    def _answers(self) -> Content:
        chosen, other = "bold reverse", "$foreground 80%"
        return Content.assemble(
            ("  Not now  ", other if self._yes else chosen),
            "   ",
            ("  Trust this project  ", chosen if self._yes else other),
        )

    def _item(self) -> TrustItem | None:
        place = self.query_one("#files", OptionList).highlighted
        return self._found.items[place] if place is not None and place < len(self._found.items) else None

    def _show_file(self) -> None:
        item = self._item()
        if item is None:
            return
        about = [one_line(item.name, 80)]
        if self._found.state.standing == "changed" and item.change:
            about.append(_SINCE[item.change])
        self.query_one("#about", Static).update(Content.styled(f"─ {' · '.join(about)} ", "$secondary"))
        shown = diff_text(item.diff) if item.diff else Content(visible(item.text or "(empty)"))
        self.query_one("#text", Static).update(shown)
        self.query_one("#content").scroll_home(animate=False)

    # --- keys ---------------------------------------------------------------------------------------------------

    def on_key(self, event: events.Key) -> None:
        if event.key not in ("y", "n", "enter") and not event.is_printable:
            return
        event.stop()
        if not self._guard.open():
            self._spill(event)
            return
        if event.key == "y" or (event.key == "enter" and self._yes):
            self._trust()
        elif event.key in ("n", "enter"):
            self.dismiss(False)

    def _trust(self) -> None:
        if self._found.state.problem:
            self.notify("It cannot be trusted as it is.", severity="warning")
        else:
            self.dismiss(True)

    def action_file(self, rows: int) -> None:
        files = self.query_one("#files", OptionList)
        if self._found.items:
            files.highlighted = min(max(0, (files.highlighted or 0) + rows), len(self._found.items) - 1)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._show_file()

    def action_scroll(self, pages: int) -> None:
        content = self.query_one("#content")
        content.scroll_relative(y=pages * max(1, content.size.height - 1), animate=False)

    def action_other(self) -> None:
        if self._guard.open():
            self._yes = not self._yes
            self.query_one("#answers", Static).update(self._answers())

    def action_leave(self) -> None:
        """Closing is no answer: it is asked again at the next start, and nothing is trusted meanwhile."""
        self.dismiss(None)


def _row(item: TrustItem) -> Content:
    mark, color = _MARKS[item.change]
    return Content.assemble((f"{mark} ", color), f"{one_line(item.name, 60):<34} ", (one_line(item.what, 80), FAINT))
