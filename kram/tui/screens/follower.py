"""Keeps status line, queue and panel true to what the runtime says. Draws a panel only while it is open."""

from __future__ import annotations

from typing import Protocol

import msgspec

from kram import events
from kram.messages import Route
from kram.runtime import Runtime
from kram.tui.widgets.panel import (
    PanelName,
    SidePanel,
    context_content,
    processes_content,
    route_content,
    todos_content,
)
from kram.tui.widgets.queue import QueueList
from kram.tui.widgets.status import Status, StatusLine

PANELS: dict[str, PanelName] = {name: name for name in ("context", "route", "processes", "todos")}


class Shown(Protocol):
    """What the follower uses of its screen."""

    @property
    def runtime(self) -> Runtime: ...
    @property
    def status(self) -> StatusLine: ...
    @property
    def panel(self) -> SidePanel: ...
    @property
    def queue(self) -> QueueList: ...


class Follower:
    def __init__(self, screen: Shown) -> None:
        self._screen = screen
        self._status = Status()
        self._routes: list[Route] = []
        self.last_answer = ""

    def refresh(self) -> None:
        """Everything anew, after another session was opened."""
        runtime = self._screen.runtime
        report = runtime.context_report()
        self._routes = []
        self._set(
            mode=runtime.mode,
            combo=runtime.combo.name,
            model=runtime.label(report.model),
            state="",
            used=report.used,
            window=report.window,
            tokens=runtime.usage.total,
            cost_usd=runtime.usage.cost_usd,
            processes=sum(one.state == "running" for one in runtime.processes.list()),
        )
        self._redraw()

    def hear(self, event: events.Event) -> None:
        match event:
            case events.TurnStarted():
                self._routes = []
                self._screen.status.working(True)
                self._set(state="preparing")
            case events.TurnFinished():
                self._screen.status.working(False)
                ended = {"success": "", "interrupted": "stopped"}.get(event.result.subtype, event.result.subtype)
                self._set(state=ended)
                self._redraw("context", "route")
            case events.RouteAttempted() if event.attempt.outcome == "trying":
                self._set(state=f"trying {event.attempt.name}")
            case events.RouteAttempted() if event.attempt.outcome == "streaming":
                self._set(state="writing", model=self._screen.runtime.label(event.attempt.name))
            case events.Retrying():
                self._set(state=f"waiting {event.delay_s:.0f} s, try {event.round}/{event.rounds}")
            case events.ReasoningDelta():
                self._set(state="thinking")
            case events.TextDelta():
                self._set(state="writing")
            case events.ToolCallStreaming():
                self._set(state=f"writing {event.name}")
            case events.ToolStarted():
                self._set(state=event.name)
            case events.ApprovalAsked() | events.QuestionAsked():
                self._set(state="waiting for you")
            case events.UserPortClosed():
                self._set(state="working")
            case events.AssistantSaid():
                self.last_answer = event.text or self.last_answer
            case events.RouteDone():
                self._routes.append(event.route)
                self._redraw("route")
            case events.ContextMeasured():
                self._set(used=event.report.used, window=event.report.window)
                self._redraw("context")
            case events.UsageChanged():
                self._set(tokens=event.session.total, cost_usd=event.session.cost_usd)
            case events.ModeChanged():
                self._set(mode=event.permission_mode, combo=event.combo, model=self._leading())
            case events.ProcessChanged():
                running = sum(one.state == "running" for one in self._screen.runtime.processes.list())
                self._set(processes=running)
                self._redraw("processes")
            case events.TodosChanged():
                self._redraw("todos")
            case events.QueueChanged():
                self._screen.queue.show(event.items)
            case _:
                pass

    def panel(self, name: str | None) -> None:
        self._screen.panel.show(PANELS.get(name) if name else None)
        self._redraw()

    def _leading(self) -> str:
        candidates = self._screen.runtime.combo.candidates
        return self._screen.runtime.label(candidates[0]) if candidates else ""

    def _set(self, **changes: object) -> None:
        status = msgspec.structs.replace(self._status, **changes)
        if status != self._status:
            self._status = status
            self._screen.status.show(status)

    def _redraw(self, *names: str) -> None:
        """The open panel, if it is one of these (or whichever it is, without names)."""
        showing = self._screen.panel.showing
        if showing is None or (names and showing not in names):
            return
        runtime = self._screen.runtime
        match showing:
            case "context":
                content = context_content(runtime.context_report())
            case "route":
                content = route_content(self._routes)
            case "processes":
                listed = runtime.processes.list()
                output = runtime.processes.output(listed[-1].id).text if listed else ""
                content = processes_content(listed, output)
            case "todos":
                content = todos_content(runtime.todos())
        self._screen.panel.show(showing, content)
