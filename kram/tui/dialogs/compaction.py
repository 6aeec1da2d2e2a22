"""A compaction before it happens: what stays word for word, what becomes a summary, what goes, and the summary to edit."""

from __future__ import annotations

from typing import ClassVar, Protocol

import msgspec
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static, TextArea
from textual.worker import Worker, WorkerState

from kram.base import KramError, one_line
from kram.context import CompactionDraft, DraftItem
from kram.tui.widgets.rows import RowList

from .dialog import Dialog

KEYS = "^s accept · ^t try again · Tab summary or list · Esc cancel, nothing changes"
GROUPS = (
    ("kept", "◆ kept", "$success"),
    ("summarised", "≈ summarised", "$warning"),
    ("dropped", "✕ dropped", "$error"),
)


class Drafting(Protocol):
    """What the dialog uses of a runtime."""

    async def draft_compaction(self, focus: str = "") -> CompactionDraft: ...


class CompactionDialog(Dialog[CompactionDraft | None]):
    """Writes the draft itself, in a worker that Esc ends. Dismissed with the draft to carry out, or None."""

    DEFAULT_CSS = """
    CompactionDialog { align: center middle; }
    CompactionDialog > .dialog { width: 96%; height: 96%; }
    CompactionDialog Static { height: auto; }
    CompactionDialog RowList { height: 2fr; }
    CompactionDialog TextArea, CompactionDialog TextArea:focus { height: 3fr; border: none; padding: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c", "close", show=False, priority=True),
        Binding("ctrl+s", "accept", show=False, priority=True),
        Binding("ctrl+t", "again", show=False, priority=True),
        Binding("tab", "other", show=False, priority=True),
        Binding("up", "move(-1)", show=False),
        Binding("down", "move(1)", show=False),
    ]

    def __init__(self, drafting: Drafting, focus: str) -> None:
        super().__init__()
        self._drafting = drafting
        self._focus = focus
        self._draft: CompactionDraft | None = None
        self._rows: list[tuple[str, str, DraftItem]] = []

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Static(Content("Compaction: a draft"), classes="dialog-title")
            yield Static("", id="figures", markup=False)
            yield RowList(self._row)
            yield Static(Content.styled("The summary, yours to edit", "bold"), id="summary-title")
            yield TextArea("", soft_wrap=True, show_line_numbers=False, id="summary")
            yield Static(Content(KEYS), classes="dialog-keys")

    def on_mount(self) -> None:
        self.query_one(TextArea).cursor_blink = False
        self.action_again()

    # --- the draft ----------------------------------------------------------------------------------------------

    def action_again(self) -> None:
        """Writes a draft, in place of the one that is there."""
        self._draft = None
        self._say("The summary is being written …", "$accent")
        self.run_worker(self._drafting.draft_compaction(self._focus), name="draft", exclusive=True, exit_on_error=False)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        if event.worker.name != "draft":
            return
        if event.state == WorkerState.SUCCESS and isinstance(event.worker.result, CompactionDraft):
            self.show_draft(event.worker.result)
        elif event.state == WorkerState.ERROR:
            failure = event.worker.error
            self._say(str(failure) if isinstance(failure, KramError) else f"It failed: {failure}", "$error")

    def show_draft(self, draft: CompactionDraft) -> None:
        self._draft = draft
        self._rows = [(label, color, item) for name, label, color in GROUPS for item in getattr(draft, name)]
        counts = " · ".join(f"{label} {len(getattr(draft, name))}" for name, label, _ in GROUPS)
        tokens = f"{draft.tokens_before:,} tokens become {draft.tokens_after:,}"
        cost = "" if draft.usage.cost_usd is None else f" · the summary cost ${draft.usage.cost_usd:.4f}"
        self._say(f"{tokens} · {counts}{cost}", "bold")
        self.query_one(RowList).show(len(self._rows))
        self.query_one(TextArea).text = draft.summary
        self.query_one(TextArea).focus()

    def _row(self, index: int, width: int) -> Content:
        label, color, item = self._rows[index]
        why = f"  {item.why}" if item.why else ""
        return Content.assemble(
            (f"{label:<13}", color), f"{item.tokens:>8,}  ", one_line(item.label, 300), (why, "$foreground 55%")
        )

    def _say(self, text: str, style: str) -> None:
        self.query_one("#figures", Static).update(Content.styled(text, style))

    # --- keys ---------------------------------------------------------------------------------------------------

    def action_move(self, by: int) -> None:
        self.query_one(RowList).move(by)

    def action_other(self) -> None:
        text = self.query_one(TextArea)
        if text.has_focus:
            self.set_focus(None)
        else:
            text.focus()

    def action_accept(self) -> None:
        if self._draft is None:
            return
        summary = self.query_one(TextArea).text.strip()
        if not summary:
            self._say("An empty summary would lose what was said; write one, or cancel.", "$error")
            return
        self.dismiss(msgspec.structs.replace(self._draft, summary=summary))

    def action_close(self) -> None:
        self.dismiss(None)
