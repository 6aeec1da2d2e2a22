"""The side panel: context, route, processes or todos, each drawn from what the runtime measured. Draws only when told to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from kram.base import one_line, visible
from kram.events import ContextReport, Todo
from kram.messages import Route
from kram.workspace import ProcessInfo

PanelName: TypeAlias = Literal["context", "route", "processes", "todos"]
TITLES: dict[str, str] = {
    "context": "Context",
    "route": "Route of the turn",
    "processes": "Background processes",
    "todos": "Todo list",
}
BAR = 30
COLORS = ("$primary", "$secondary", "$accent", "$success", "$warning", "$error", "$foreground 60%")


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


def context_content(report: ContextReport) -> Content:
    """A bar over the window and a row a category."""
    total = report.window or max(1, report.used)
    head = (
        f"{report.used:,} of {report.window:,} tokens" if report.window else f"{report.used:,} tokens, window unknown"
    )
    note = "" if report.exact else " (estimated)"
    rows: list[Content] = [Content(f"{head}{note}"), Content(one_line(report.model, 44))]
    bar: list[Content] = []
    for place, item in enumerate(report.items):
        color = "$foreground 20%" if item.category == "free" else COLORS[place % len(COLORS)]
        bar.append(Content.styled("█" * _cells(item.tokens, total, len(report.items)), color))
    rows += [Content(""), Content("").join(bar), Content("")]
    for place, item in enumerate(report.items):
        color = "$foreground 20%" if item.category == "free" else COLORS[place % len(COLORS)]
        name = item.category.replace("_", " ")
        share = f"{item.tokens * 100 / total:5.1f}%"
        rows.append(Content.assemble(("■ ", color), f"{name:<19}{item.tokens:>9,} {share}"))
    return Content("\n").join(rows)


def _cells(tokens: int, total: int, rows: int) -> int:
    """A share of the bar; every category has at least one cell, and the rest is shared by size."""
    return 1 + int(tokens * max(0, BAR - rows) / total)


def route_content(routes: Sequence[Route]) -> Content:
    """Every model call of the turn with its attempts."""
    if not routes:
        return Content("No model call yet.")
    marks = {
        "success": ("✓", "$success"),
        "error": ("✕", "$error"),
        "rejected": ("!", "$warning"),
        "cancelled": ("·", "$foreground 50%"),
    }
    rows: list[Content] = []
    for number, route in enumerate(routes, start=1):
        purpose = "" if route.purpose == "turn" else f" {route.purpose}"
        rows.append(
            Content.styled(f"{number}. {route.combo} · {route.strategy}{purpose} · {route.duration_ms} ms", "bold")
        )
        for attempt in route.attempts:
            mark, color = marks.get(attempt.outcome, ("◉", "$accent"))
            first = f" first word {attempt.ttft_ms} ms" if attempt.ttft_ms is not None else ""
            rows.append(
                Content.assemble((f"   {mark} ", color), f"{one_line(attempt.name, 34)} {attempt.latency_ms} ms{first}")
            )
            if attempt.reason:
                rows.append(Content.styled(f"     {one_line(attempt.reason, 160)}", "$foreground 60%"))
        for ranked in route.ranking:
            if not ranked.eligible:
                rows.append(Content.styled(f"   – {ranked.candidate}: {', '.join(ranked.reasons)}", "$foreground 60%"))
        usage = route.usage
        if usage.reported:
            cost = "" if usage.cost_usd is None else f" · ${usage.cost_usd:.4f}"
            figures = f"     {usage.input:,} in ({usage.cache_read:,} cached) · {usage.output:,} out{cost}"
            rows.append(Content.styled(figures, "$foreground 60%"))
    return Content("\n").join(rows)


def processes_content(processes: Sequence[ProcessInfo], output: str) -> Content:
    """The list, and the end of the newest one's output."""
    if not processes:
        return Content("No background process.")
    rows: list[Content] = []
    for one in processes:
        color = "$success" if one.state == "running" else "$foreground 60%"
        code = "" if one.exit_code is None else f" ({one.exit_code})"
        rows.append(Content.assemble((f"{one.id} {one.state}{code} ", color), one_line(one.command, 60)))
    rows += [Content(""), Content.styled(f"{processes[-1].id}:", "bold"), Content(visible(output[-4000:]))]
    rows += [Content(""), Content.styled("/processes kill ID ends one", "$foreground 40%")]
    return Content("\n").join(rows)


def todos_content(todos: Sequence[Todo]) -> Content:
    marks = {"pending": ("[ ]", "$foreground"), "in_progress": ("[~]", "$accent"), "completed": ("[x]", "$success")}
    rows = [Content.assemble((f"{marks[one.status][0]} ", marks[one.status][1]), visible(one.content)) for one in todos]
    return Content("\n").join(rows) if rows else Content("The todo list is empty.")
