"""A question of the model: choose an option by arrows or number, or write an answer. Esc gives none."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from kram.base import visible

from .dialog import Dialog


class QuestionDialog(Dialog[str | None]):
    DEFAULT_CSS = """
    QuestionDialog { align: center bottom; }
    QuestionDialog > .dialog { width: 100%; max-width: 120; height: auto; }
    QuestionDialog VerticalScroll { height: auto; }
    QuestionDialog OptionList, QuestionDialog OptionList:focus {
        height: auto; max-height: 12; border: none; background: transparent; padding: 0;
    }
    QuestionDialog Input, QuestionDialog Input:focus { border: none; height: 1; padding: 0; }
    QuestionDialog Static { height: auto; }
    """
    FIXED_ROWS = 17
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "no_answer", show=False, priority=True),
        Binding("tab", "app.focus_next", show=False),
    ]

    def __init__(self, question: str, options: tuple[str, ...]) -> None:
        super().__init__()
        self._question = question
        self._options = options

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            with VerticalScroll(can_focus=False, classes="grows"):
                yield Static(Content(visible(self._question)), classes="dialog-title")
            if self._options:
                yield OptionList(
                    *(
                        Option(Content(f"{number}. {visible(option)}"), id=str(number))
                        for number, option in enumerate(self._options, start=1)
                    )
                )
            yield Input(placeholder="or write an answer" if self._options else "your answer")
            hint = (
                "Enter choose · 1-9 · Tab to write · Esc no answer" if self._options else "Enter send · Esc no answer"
            )
            yield Static(Content(hint), classes="dialog-keys")

    def on_mount(self) -> None:
        self.query_one(OptionList if self._options else Input).focus()

    def on_key(self, event: events.Key) -> None:
        if isinstance(self.focused, Input) or not event.character or not event.character.isdigit():
            return
        number = int(event.character)
        if 1 <= number <= len(self._options):
            event.stop()
            self.dismiss(self._options[number - 1])

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._options[event.option_index])

    def on_input_submitted(self, event: Input.Submitted) -> None:
        if event.value.strip():
            self.dismiss(event.value.strip())

    def action_no_answer(self) -> None:
        self.dismiss(None)
