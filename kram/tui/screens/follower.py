"""Keeps status line, queue and panel true to what the runtime says. Draws a panel only while it is open."""

from __future__ import annotations

import time
from typing import Protocol

import msgspec

from kram import events
from kram.base import one_line
from kram.runtime import Runtime
from kram.tui.widgets.panel import SidePanel
from kram.tui.widgets.queue import QueueList
from kram.tui.widgets.route_bar import RouteBar
from kram.tui.widgets.status import Status, StatusLine

from .panels import Panels


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
    @property
    def route_bar(self) -> RouteBar: ...


class Follower:
    def __init__(self, screen: Shown) -> None:
        self._screen = screen
        self._status = Status()
        self.panels = Panels(screen)
        self.last_answer = ""

    def refresh(self) -> None:
        """Everything anew, after another session was opened."""
        runtime = self._screen.runtime
        report = runtime.context_report()
        self._screen.route_bar.clear()
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
        self.panels.redraw()

    def hear(self, event: events.Event) -> None:
        self._screen.route_bar.hear(event)
        match event:
            case events.TurnStarted():
                self._screen.status.working(True)
                self._set(state="preparing")
            case events.TurnFinished():
                self._screen.status.working(False)
                ended = {"success": "", "interrupted": "stopped"}.get(event.result.subtype, event.result.subtype)
                self._set(state=ended)
                self.panels.redraw("context", "route", "strategy")
            case events.RouteAttempted() if event.attempt.outcome == "trying":
                self._set(state=f"trying {event.attempt.name}", waits_until_s=0.0)
            case events.RouteAttempted() if event.attempt.outcome == "streaming":
                self._set(state="writing", model=self._screen.runtime.label(event.attempt.name))
            case events.Retrying():
                self._set(
                    state=f"waiting: {one_line(event.reason, 40)}, round {event.round} of {event.rounds}",
                    waits_until_s=time.monotonic() + event.delay_s,
                )
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
            case events.Compacted():
                self._set(used=self._screen.runtime.context_report().used)
            case events.RouteDone():
                if not self._screen.runtime.busy:
                    self._set(state="")
                self.panels.redraw("route", "strategy")
            case events.ContextMeasured():
                self._set(used=event.report.used, window=event.report.window)
                self.panels.redraw("context")
            case events.UsageChanged():
                self._set(tokens=event.session.total, cost_usd=event.session.cost_usd)
            case events.ModeChanged():
                self._set(mode=event.permission_mode, combo=event.combo, model=self._leading())
                self.panels.redraw("strategy", "context")
            case events.ProcessChanged():
                running = sum(one.state == "running" for one in self._screen.runtime.processes.list())
                self._set(processes=running)
                self.panels.redraw("processes")
            case events.TodosChanged():
                self.panels.redraw("todos")
            case events.QueueChanged():
                self._screen.queue.show(event.items)
            case _:
                pass

    def _leading(self) -> str:
        candidates = self._screen.runtime.combo.candidates
        return self._screen.runtime.label(candidates[0]) if candidates else ""

    def _set(self, **changes: object) -> None:
        status = msgspec.structs.replace(self._status, **changes)
        if status != self._status:
            self._status = status
            self._screen.status.show(status)
