"""One list to choose from, for sessions, models, tools, modes, earlier prompts and commands: type to narrow, Enter to choose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from kram.base import Data, one_line

from .dialog import Dialog

MAX_SHOWN = 200
TEXT_CHARS = 200
MIN_SCORE = 55
MIN_DEEPER = 2
"""Characters to look deeper for."""


class Row(Data):
    """A choice: `key` is what is returned, `text` what is matched, `note` what stands dim behind it."""

    key: str
    text: str
    note: str = ""
    mark: str = " "


class Picker(Dialog[str | None]):
    """Dismissed with a key, or None. `acts` maps a control key to (help, function of the chosen key -> new rows).

    `deeper` finds further rows for what was typed, in places the rows do not show; they stand behind those that match.
    """

    DEFAULT_CSS = """
    Picker { align: center middle; }
    Picker > .dialog { width: 90%; max-width: 120; height: auto; }
    Picker OptionList { height: auto; border: none; background: transparent; padding: 0; }
    Picker Input, Picker Input:focus { border: none; height: 1; padding: 0; }
    Picker Static { height: auto; }
    """
    FIXED_ROWS = 8
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c", "close", show=False, priority=True),
        Binding("up", "move(-1)", show=False, priority=True),
        Binding("down", "move(1)", show=False, priority=True),
        Binding("pageup", "move(-10)", show=False, priority=True),
        Binding("pagedown", "move(10)", show=False, priority=True),
    ]

    def __init__(
        self,
        title: str,
        rows: Sequence[Row],
        *,
        acts: dict[str, tuple[str, Callable[[str], Sequence[Row]]]] | None = None,
        query: str = "",
        deeper: Callable[[str], Sequence[Row]] | None = None,
    ) -> None:
        super().__init__()
        self._title = title
        self._rows = list(rows)
        self._acts = acts or {}
        self._query = query
        self._deeper = deeper
        self._shown: list[Row] = []

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(Content(self._title), classes="dialog-title")
            yield Input(self._query, placeholder="type to narrow")
            yield OptionList(classes="grows")
            more = "".join(f" · {key.replace('ctrl+', '^')} {text}" for key, (text, _) in self._acts.items())
            yield Static(Content(f"Enter choose · Esc close{more}"), classes="dialog-keys")

    def on_mount(self) -> None:
        self._fill()
        self.query_one(OptionList).can_focus = False
        self.query_one(Input).focus()

    def on_input_changed(self) -> None:
        self._fill()

    def _fill(self) -> None:
        query = self.query_one(Input).value.strip()
        self._shown = matching(self._rows, query)
        if self._deeper is not None and len(query) >= MIN_DEEPER:
            keys = {row.key for row in self._shown}
            self._shown += [row for row in self._deeper(query) if row.key not in keys]
        options = self.query_one(OptionList)
        options.clear_options()
        options.add_options([Option(_shown(row)) for row in self._shown])
        if self._shown:
            options.highlighted = 0

    def replace(self, rows: Sequence[Row]) -> None:
        """Other rows, for instance better informed ones; what was typed and what is chosen stay."""
        self._rows = list(rows)
        if not self.is_mounted or not self.is_attached:
            return
        before = self._chosen()
        self._fill()
        keys = [row.key for row in self._shown]
        if before is not None and before.key in keys:
            self.query_one(OptionList).highlighted = keys.index(before.key)

    def _chosen(self) -> Row | None:
        place = self.query_one(OptionList).highlighted
        return self._shown[place] if place is not None and place < len(self._shown) else None

    def action_move(self, rows: int) -> None:
        options = self.query_one(OptionList)
        if self._shown:
            place = (options.highlighted or 0) + rows
            options.highlighted = min(max(0, place), len(self._shown) - 1)

    def on_input_submitted(self) -> None:
        if row := self._chosen():
            self.dismiss(row.key)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._shown[event.option_index].key)

    async def _on_key(self, event: events.Key) -> None:
        act = self._acts.get(event.key)
        row = self._chosen()
        if act is None or row is None:
            return
        event.stop()
        event.prevent_default()
        place = self.query_one(OptionList).highlighted or 0
        self._rows = list(act[1](row.key))
        self._fill()
        if self._shown:
            self.query_one(OptionList).highlighted = min(place, len(self._shown) - 1)

    def action_close(self) -> None:
        self.dismiss(None)


def matching(rows: Sequence[Row], query: str) -> list[Row]:
    """Rows that hold every word first, then those that are alike; all of them for no query."""
    if not query:
        return list(rows[:MAX_SHOWN])
    words = query.lower().split()
    exact = [row for row in rows if all(word in f"{row.text} {row.note}".lower() for word in words)]
    if len(exact) >= MAX_SHOWN:
        return exact[:MAX_SHOWN]
    rest = [row for row in rows if row not in exact]
    from rapidfuzz import fuzz, process

    found = process.extract(
        query,
        [row.text for row in rest],
        scorer=fuzz.partial_ratio,
        limit=MAX_SHOWN - len(exact),
        score_cutoff=MIN_SCORE,
    )
    return [*exact, *(rest[index] for _, _, index in found)]


def _shown(row: Row) -> Content:
    return Content.assemble(
        (f"{row.mark} ", "$accent"),
        one_line(row.text, TEXT_CHARS),
        (f"  {one_line(row.note, TEXT_CHARS)}" if row.note else "", "$foreground 55%"),
    )
