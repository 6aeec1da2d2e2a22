"""The approval dialog: exactly what will run, why it is asked, and an answer that is never given by accident.

Keys count only 400 ms after it appeared; "once" and "always" only after everything was on the screen; the default is no.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from kram.base import visible
from kram.events import ApprovalAnswer, ApprovalRequest

from .dialog import Dialog
from .difftext import diff_text

GUARD_S = 0.4
MIN_COLUMNS, MIN_ROWS = 20, 8


class ApprovalDialog(Dialog[ApprovalAnswer | None]):
    """Dismissed with an answer, or with None when the turn stopped."""

    DEFAULT_CSS = """
    ApprovalDialog { align: center bottom; }
    ApprovalDialog > .dialog { width: 100%; max-width: 140; height: auto; }
    ApprovalDialog VerticalScroll { height: auto; min-height: 1; }
    ApprovalDialog Static { width: 1fr; height: auto; }
    ApprovalDialog Input, ApprovalDialog Input:focus { border: none; height: 1; padding: 0; }
    ApprovalDialog Input { display: none; }
    ApprovalDialog Input.shown { display: block; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "deny", show=False, priority=True),
        Binding("up", "scroll(-1)", show=False),
        Binding("down", "scroll(1)", show=False),
        Binding("pageup", "scroll(-10)", show=False),
        Binding("pagedown,space", "scroll(10)", show=False),
    ]
    AUTO_FOCUS = "VerticalScroll"
    FIXED_ROWS = 9

    def __init__(self, request: ApprovalRequest, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._request = request
        self._monotonic = monotonic
        self._shown_at = monotonic()
        self._purpose = ""
        self._whole_diff = False

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog ask"):
            yield Static(Content(visible(f"{self._request.tool} — may this run?")), classes="dialog-title")
            with VerticalScroll(classes="grows"):
                yield Static(self._body(), id="body", classes="dialog-box")
            yield Static(self._reason(), classes="dialog-reason")
            yield Input(id="note")
            yield Static(self._keys(), id="keys", classes="dialog-keys")

    def on_mount(self) -> None:
        self._shown_at = self._monotonic()

    # --- what is shown ------------------------------------------------------------------------------------------

    def _body(self) -> Content:
        request = self._request
        parts = [Content(visible(request.body))] if request.body else []
        if request.diff:
            parts.append(diff_text(request.diff))
        if len(request.parts) > 1:
            parts.append(Content(visible("\n".join(f"  {part}" for part in request.parts))))
        return Content("\n").join(parts)

    def _reason(self) -> Content:
        return Content(visible(f"Asked because {self._request.reason}")) if self._request.reason else Content("")

    def _keys(self) -> Content:
        request = self._request
        keys = "y once" + (f" · a always: {visible(request.rule)}" if request.rule else "")
        keys += " · n no (with a note) · e edit"
        if not self._seen_all():
            keys = "↓ scroll to the end to allow · n no · e edit"
        return Content(keys)

    def _seen_all(self) -> bool:
        if not self.is_mounted:
            return True
        scroll = self.query_one(VerticalScroll)
        return scroll.max_scroll_y <= 0 or scroll.scroll_y >= scroll.max_scroll_y - 1

    def _refresh_keys(self) -> None:
        self.query_one("#keys", Static).update(self._keys())

    # --- keys ---------------------------------------------------------------------------------------------------

    def on_resize(self) -> None:
        super().on_resize()
        # What stands there now has just appeared; a key that was on its way was not meant for it.
        self._shown_at = self._monotonic()
        self.call_after_refresh(self._refresh_keys)

    def action_scroll(self, rows: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=rows, animate=False)
        self.call_after_refresh(self._refresh_keys)

    def on_key(self, event: events.Key) -> None:
        if self._purpose:
            return
        if event.key not in ("y", "a", "n", "e", "d"):
            if event.is_printable:
                # Somebody is typing words; the y among them is no answer.
                self._shown_at = self._monotonic()
            return
        event.stop()
        if self._monotonic() - self._shown_at < GUARD_S:
            return
        if self.size.width < MIN_COLUMNS or self.size.height < MIN_ROWS:
            self._shown_at = self._monotonic()
            self.notify("The terminal is too small to show what would run. Enlarge it, or press Esc.")
            return
        match event.key:
            case "y" | "a" if not self._seen_all():
                self.action_scroll(10)
            case "y":
                self.dismiss(ApprovalAnswer(decision="once"))
            case "a" if self._request.rule:
                self.dismiss(ApprovalAnswer(decision="always"))
            case "n":
                self._type("deny", "", "why not (Enter to send, may stay empty)")
            case "e":
                self._type("edit", json.dumps(dict(self._request.arguments), ensure_ascii=False), "arguments")

    def _type(self, purpose: str, value: str, placeholder: str) -> None:
        self._purpose = purpose
        field = self.query_one(Input)
        field.placeholder, field.value = placeholder, value
        field.add_class("shown")
        field.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if self._purpose == "deny":
            self.dismiss(ApprovalAnswer(decision="deny", note=event.value.strip()))
            return
        try:
            arguments = json.loads(event.value)
        except ValueError as failure:
            self.notify(f"Not JSON: {failure}", severity="warning")
            return
        if not isinstance(arguments, dict):
            self.notify("The arguments must be a JSON object.", severity="warning")
            return
        self.dismiss(ApprovalAnswer(decision="once", arguments=arguments))

    def action_deny(self) -> None:
        """The safe answer; out of a note it only closes the note."""
        if self._purpose:
            self._purpose = ""
            self.query_one(Input).remove_class("shown")
            self.query_one(VerticalScroll).focus()
        else:
            self.dismiss(ApprovalAnswer(decision="deny"))
