"""Which panel is open and what it shows: asks the runtime, and only while it is open."""

from __future__ import annotations

from typing import Protocol, assert_never, get_args

from textual.content import Content

from kram.runtime import Runtime
from kram.tui.panels.context import context_content
from kram.tui.panels.processes import processes_content
from kram.tui.panels.route import by_turn, route_content
from kram.tui.panels.strategy import strategy_content
from kram.tui.panels.todos import todos_content
from kram.tui.widgets.panel import PanelName, SidePanel

PANELS: dict[str, PanelName] = {name: name for name in get_args(PanelName)}


class Shown(Protocol):
    """What this uses of its screen."""

    @property
    def runtime(self) -> Runtime: ...
    @property
    def panel(self) -> SidePanel: ...


class Panels:
    """`step` walks inside the open panel: turns of the route, candidates, processes. 0 is the newest or first."""

    def __init__(self, screen: Shown) -> None:
        self._screen = screen
        self._step = 0

    def open(self, name: str | None) -> None:
        """Opens a panel by name, or closes the open one."""
        self._step = 0
        self._screen.panel.show(PANELS.get(name) if name else None)
        self.redraw()

    def step(self, by: int) -> None:
        self._step += by
        self.redraw()

    def redraw(self, *names: str) -> None:
        """The open panel, if it is one of these (or whichever it is, without names)."""
        showing = self._screen.panel.showing
        if showing is not None and (not names or showing in names):
            self._screen.panel.show(showing, self._content(showing))

    def _content(self, name: PanelName) -> Content:
        runtime = self._screen.runtime
        match name:
            case "context":
                return context_content(runtime.context_report())
            case "route":
                return self._route(runtime)
            case "strategy":
                return strategy_content(runtime.scoreboard(), self._step)
            case "processes":
                return self._processes(runtime)
            case "todos":
                return todos_content(runtime.todos())
            case _:
                assert_never(name)

    def _route(self, runtime: Runtime) -> Content:
        turns = by_turn(runtime.routes())
        if not turns:
            return route_content(())
        self._step = max(1 - len(turns), min(0, self._step))
        number = len(turns) + self._step
        routes = turns[number - 1]
        words = runtime.words(routes[0].turn)
        return route_content(routes, words=words, number=number, of=len(turns))

    def _processes(self, runtime: Runtime) -> Content:
        listed = runtime.processes.list()
        if not listed:
            return processes_content((), "", "")
        shown = listed[(self._step - 1) % len(listed)].id
        return processes_content(listed, shown, runtime.processes.output(shown).text)
