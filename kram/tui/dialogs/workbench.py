"""The context workbench: everything that is in the window, largest first if wanted, to drop, pin, shorten, restore, read.

Every action says before it is taken what it frees and how much cached text the provider would have to read again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from kram.base import KramError
from kram.events import ContextEntry, ContextReport
from kram.tui.blocks import SectionBlock
from kram.tui.panels.workbench import ORDERS, Order, bar, columns, head, legend, meaning, ordered, row, searched
from kram.tui.widgets.rows import RowList, indexes_matching

from .dialog import Dialog
from .reading import ReadingDialog

KEYS = "Enter read · ^d drop · ^p pin · ^s shorten · ^r restore · ^o {order} · Esc"
PRICE_AFTER_S = 0.08
FIXED = ("part", "tool")


class Window(Protocol):
    """What the workbench uses of a runtime: the report with its items, the marks, what they would cost."""

    def context_report(self) -> ContextReport: ...
    def item_text(self, item_id: str) -> str: ...
    def cache_price(self, ids: Sequence[str]) -> int: ...
    def input_price(self, tokens: int) -> float | None: ...
    def pin(self, ids: Sequence[str]) -> None: ...
    def drop(self, ids: Sequence[str]) -> None: ...
    def shorten(self, ids: Sequence[str]) -> None: ...
    def restore(self, ids: Sequence[str]) -> None: ...


class Workbench(Dialog[None]):
    DEFAULT_CSS = """
    Workbench { align: center middle; }
    Workbench > .dialog { width: 96%; height: 96%; }
    Workbench Static { height: auto; }
    Workbench #bar, Workbench #head { height: 1; }
    Workbench #meaning { height: 2; }
    Workbench Input, Workbench Input:focus { border: none; height: 1; padding: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c,f2", "close", show=False, priority=True),
        Binding("up", "move(-1)", show=False, priority=True),
        Binding("down", "move(1)", show=False, priority=True),
        Binding("pageup", "move(-15)", show=False, priority=True),
        Binding("pagedown", "move(15)", show=False, priority=True),
        Binding("ctrl+d", "mark('drop')", show=False, priority=True),
        Binding("ctrl+p", "mark('pin')", show=False, priority=True),
        Binding("ctrl+s", "mark('shorten')", show=False, priority=True),
        Binding("ctrl+r", "mark('restore')", show=False, priority=True),
        Binding("ctrl+o", "order", show=False, priority=True),
    ]

    def __init__(self, window: Window) -> None:
        super().__init__()
        self._window = window
        self._report = ContextReport(window=0, reserve=0, used=0, items=())
        self._order: Order = "sent"
        self._all: list[ContextEntry] = []
        self._texts: list[str] = []
        self._shown: list[ContextEntry] = []

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(Content("Context"), classes="dialog-title")
            yield Static("", id="head", markup=False)
            yield Static("", id="bar", markup=False)
            yield Static("", id="legend", markup=False)
            yield Input(placeholder="type to narrow")
            yield Static("", id="columns", markup=False)
            yield RowList(lambda index, width: row(self._shown[index], width))
            yield Static("", id="meaning", markup=False)
            yield Static("", classes="dialog-keys", markup=False)

    def on_mount(self) -> None:
        self.query_one(Input).focus()
        self._read(-1)

    def on_resize(self) -> None:
        super().on_resize()
        width = self.query_one("#bar").size.width or self.size.width - 8
        self.query_one("#bar", Static).update(bar(self._report, width))
        self.query_one("#columns", Static).update(columns(width))

    # --- what is shown ------------------------------------------------------------------------------------------

    def _read(self, place: int) -> None:
        """The report anew, after something changed."""
        self._report = self._window.context_report()
        self._all = ordered(self._report.entries, self._order)
        self._texts = [searched(one) for one in self._all]
        self.query_one("#head", Static).update(head(self._report))
        self.query_one("#legend", Static).update(legend(self._report))
        self.query_one(".dialog-keys", Static).update(Content(KEYS.format(order=self._order)))
        self.on_resize()
        self._narrow(self._first() if place < 0 else place, anew=place <= 0)

    def _first(self) -> int:
        """The first item that can be acted on; what every request holds stands before it."""
        return next((index for index, one in enumerate(self._all) if one.kind not in FIXED), 0)

    def _narrow(self, place: int = 0, *, anew: bool = True) -> None:
        found = indexes_matching(self._texts, self.query_one(Input).value)
        self._shown = [self._all[index] for index in found]
        self.query_one(RowList).show(len(self._shown), place, top=max(0, place - 1) if anew else None)

    def on_input_changed(self) -> None:
        self._narrow()

    @property
    def _chosen(self) -> ContextEntry | None:
        place = self.query_one(RowList).chosen
        return self._shown[place] if 0 <= place < len(self._shown) else None

    def on_row_list_moved(self) -> None:
        """The price is counted once the highlight rests: it walks the whole view."""
        self.set_timer(PRICE_AFTER_S, self._tell_meaning)

    def _tell_meaning(self) -> None:
        one = self._chosen
        reread, price = 0, None
        if one is not None and one.kind not in FIXED:
            reread = self._window.cache_price([one.id])
            price = self._window.input_price(reread)
        self.query_one("#meaning", Static).update(meaning(one, reread, price))

    # --- keys ---------------------------------------------------------------------------------------------------

    def action_move(self, by: int) -> None:
        self.query_one(RowList).move(by)

    def action_order(self) -> None:
        self._order = ORDERS[(ORDERS.index(self._order) + 1) % len(ORDERS)]
        self._read(-1 if self._order == "sent" else 0)

    def action_mark(self, what: str) -> None:
        one = self._chosen
        if one is None or one.kind in FIXED:
            return
        acts = {
            "drop": self._window.drop,
            "pin": self._window.pin,
            "shorten": self._window.shorten,
            "restore": self._window.restore,
        }
        try:
            acts[what]([one.id])
        except KramError as refused:
            self.query_one("#meaning", Static).update(Content.styled(str(refused), "$warning"))
            return
        self._read(self.query_one(RowList).chosen)

    def on_input_submitted(self) -> None:
        self._open()

    def on_row_list_opened(self) -> None:
        self._open()

    def _open(self) -> None:
        one = self._chosen
        if one is not None:
            block = SectionBlock(
                one.id, one.label, f"{one.full_tokens:,} tokens", lambda: self._window.item_text(one.id)
            )
            block.toggle()
            self.app.push_screen(ReadingDialog("In the window", [block]))

    def action_close(self) -> None:
        self.dismiss(None)
