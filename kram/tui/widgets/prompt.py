"""The prompt: several lines, earlier prompts, pastes of any size, completion of commands and files.

A large paste stands as a short mark in the text; what is sent holds its exact characters. Nothing is ever sent by a paste.
"""

from __future__ import annotations

from typing import Any, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import TextArea

FOLD_LINES = 10
FOLD_CHARS = 1_000

PLACEHOLDER = "ask, / for commands, @ for files"


class Prompt(TextArea):
    DEFAULT_CSS = """
    Prompt { height: auto; min-height: 1; max-height: 12; border: none; padding: 0; width: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+j,shift+enter", "newline", show=False),
        Binding("ctrl+a", "cursor_line_start", show=False),
        Binding("ctrl+e", "cursor_line_end", show=False),
        Binding("ctrl+u", "delete_to_start_of_line", show=False),
        Binding("ctrl+k", "delete_to_end_of_line", show=False),
        Binding("ctrl+w", "delete_word_left", show=False),
        Binding("alt+b", "cursor_word_left", show=False),
        Binding("alt+f", "cursor_word_right", show=False),
        Binding("alt+d", "delete_word_right", show=False),
        Binding("ctrl+underscore", "undo", show=False),
        Binding("ctrl+r", "history_search", show=False),
    ]

    class Submitted(Message):
        """Enter: `text` with pastes unfolded. `later`: it is to wait until the turn is over."""

        def __init__(self, text: str, *, later: bool) -> None:
            self.text = text
            self.later = later
            super().__init__()

    class Edited(Message):
        """The text or the cursor changed; `before` is the text from the line's start to the cursor."""

        def __init__(self, before: str, *, first_line: bool) -> None:
            self.before = before
            self.first_line = first_line
            super().__init__()

    class Key(Message):
        """A key the prompt leaves to its owner: `up`, `down`, `tab`, `help`, `history`."""

        def __init__(self, key: str) -> None:
            self.key = key
            super().__init__()

    def __init__(self) -> None:
        super().__init__(
            "",
            soft_wrap=True,
            show_line_numbers=False,
            highlight_cursor_line=False,
            compact=True,
            id="prompt",
            placeholder=PLACEHOLDER,
        )
        self.cursor_blink = False  # A blinking cursor repaints for ever.
        self._pastes: list[tuple[str, str]] = []
        self.completing = False

    # --- text ---------------------------------------------------------------------------------------------------

    def whole_text(self) -> str:
        """What is sent: every mark of a paste replaced by what was pasted."""
        text = self.text
        for mark, pasted in self._pastes:
            text = text.replace(mark, pasted)
        return text

    def put(self, text: str) -> None:
        """Replaces everything; a long text is folded like a paste. The cursor goes to its end."""
        self._pastes.clear()
        self.text = self._folded(text)
        self.move_cursor(self.document.end)

    def clear_prompt(self) -> None:
        self._pastes.clear()
        self.text = ""

    def complete(self, typed: int, insert: str) -> None:
        """Replaces the last `typed` characters before the cursor."""
        row, column = self.cursor_location
        self.replace(insert, (row, max(0, column - typed)), (row, column), maintain_selection_offset=False)

    def _folded(self, text: str) -> str:
        lines = text.count("\n") + 1
        if lines <= FOLD_LINES and len(text) <= FOLD_CHARS:
            return text
        size = f"{lines} lines" if lines > 1 else f"{len(text)} characters"
        mark = f"[paste #{len(self._pastes) + 1}: {size}]"
        self._pastes.append((mark, text))
        return mark

    def unfold(self) -> bool:
        """Shows folded pastes in full; False where there are none."""
        if not self._pastes:
            return False
        text = self.whole_text()
        self._pastes.clear()
        self.text = text
        self.move_cursor(self.document.end)
        return True

    # --- keys ---------------------------------------------------------------------------------------------------

    async def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        text = event.text.replace("\r\n", "\n").replace("\r", "\n")
        self.insert(self._folded(text))

    async def _on_key(self, event: events.Key) -> None:
        if self.completing and event.key in ("up", "down", "tab", "enter"):
            event.prevent_default()
            event.stop()
            self.post_message(self.Key(event.key))
            return
        match event.key:
            case "enter" | "alt+enter":
                event.prevent_default()
                event.stop()
                self._enter(later=event.key == "alt+enter")
            case "up" if (
                self.cursor_location[0] == 0 and self.wrapped_document.location_to_offset(self.cursor_location).y == 0
            ):
                event.prevent_default()
                event.stop()
                self.post_message(self.Key("up"))
            case "down" if self.cursor_location[0] == self.document.line_count - 1:
                event.prevent_default()
                event.stop()
                self.post_message(self.Key("down"))
            case "question_mark" if not self.text:
                event.prevent_default()
                event.stop()
                self.post_message(self.Key("help"))
            case "tab":
                event.prevent_default()
                event.stop()
                self.post_message(self.Key("tab"))
            case _ if bound := self._bindings.key_to_bindings.get(event.key):
                # At once: by itself it would run only after the keys behind it, which may be here already.
                event.prevent_default()
                event.stop()
                await self.run_action(bound[0].action)
            case _:
                await super()._on_key(event)

    def _enter(self, *, later: bool) -> None:
        row, column = self.cursor_location
        if not later and column and self.document.get_line(row)[column - 1] == "\\":
            self.replace("\n", (row, column - 1), (row, column), maintain_selection_offset=False)
            return
        self.submit(later=later)

    def submit(self, *, later: bool = False) -> None:
        """Hands the text over and starts anew; blank text stays where it is."""
        text = self.whole_text()
        if text.strip():
            # Cleared here and not by whoever gets the message: keys that follow at once must stay.
            self.clear_prompt()
            self.post_message(self.Submitted(text, later=later))

    def action_newline(self) -> None:
        self.insert("\n")

    def action_history_search(self) -> None:
        self.post_message(self.Key("history"))

    def on_text_area_changed(self, event: Any) -> None:
        event.stop()
        row, column = self.cursor_location
        self.post_message(self.Edited(self.document.get_line(row)[:column], first_line=row == 0))
