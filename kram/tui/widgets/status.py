"""The status line: what is going on, who answers, how full the window is, what it cost. One row, never wrapped.

Ticks only while a turn runs, and then repaints itself without layout.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from kram.base import Data, one_line

TICK_S = 0.5
HINT_S = 2.0
MEDIUM, WIDE = 60, 100
WARN, FULL = 70, 90


class Status(Data):
    """What the line shows; all of it measured by the runtime."""

    mode: str = "ask"
    combo: str = ""
    model: str = ""
    state: str = ""
    waits_until_s: float = 0.0
    """The monotonic time a wait ends at, counted down behind the state; 0 where nothing waits."""
    used: int = 0
    window: int = 0
    tokens: int = 0
    cost_usd: float | None = None
    processes: int = 0
    queued: int = 0


class StatusLine(Static):
    DEFAULT_CSS = "StatusLine { height: 1; width: 1fr; padding: 0 1; }"

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        super().__init__("", markup=False)
        self._monotonic = monotonic
        self._status = Status()
        self._began: float | None = None
        self._timer: Timer | None = None

    def show(self, status: Status) -> None:
        self._status = status
        self._draw()

    def working(self, busy: bool) -> None:
        """Starts or stops the elapsed time."""
        if busy and self._timer is None:
            self._began = self._monotonic()
            self._timer = self.set_interval(TICK_S, self._draw)
        elif not busy and self._timer is not None:
            self._timer.stop()
            self._timer = self._began = None
        self._draw()

    def hint(self, text: str) -> None:
        """Says something for a moment, in place of the state."""
        self.update(Content.styled(text, "$warning"), layout=False)
        self.set_timer(HINT_S, self._draw)

    def on_resize(self) -> None:
        self._draw()

    def _draw(self) -> None:
        self.update(render(self._status, self.size.width - 2, self._elapsed(), self._monotonic()), layout=False)

    def _elapsed(self) -> int | None:
        return None if self._began is None else int(self._monotonic() - self._began)


def render(status: Status, width: int, elapsed_s: int | None, now_s: float = 0.0) -> Content:
    """The line for a width: what matters most stays, the rest goes from the right."""
    left = [(_mode(status.mode), "bold $warning" if status.mode == "auto" else "bold $accent")]
    if elapsed_s is not None:
        left.append((f" ◉ {_doing(status, now_s)} {elapsed_s}s", "$accent"))
    elif status.state:
        left.append((f" {status.state}", "$foreground 70%"))
    right: list[tuple[str, str]] = []
    name = status.model or status.combo
    if name:
        right.append((one_line(name, 48 if width >= WIDE else 28), "$foreground 80%"))
    if status.window:
        percent = status.used * 100 // status.window
        style = "$error" if percent >= FULL else "$warning" if percent >= WARN else "$foreground 70%"
        right.append((f"◔ {percent}%", style))
    if width >= MEDIUM and status.tokens:
        right.append((_tokens(status.tokens), "$foreground 60%"))
    if width >= MEDIUM and status.cost_usd is not None:
        right.append(
            (f"${status.cost_usd:.2f}" if status.cost_usd >= 0.01 else f"${status.cost_usd:.4f}", "$foreground 60%")
        )
    if status.processes:
        right.append((f"⚙ {status.processes}", "$secondary"))
    if width >= WIDE and elapsed_s is None:
        right.append(("/ commands · ? keys", "$foreground 40%"))
    return _fitted(left, right, width)


def _doing(status: Status, now_s: float) -> str:
    left_s = status.waits_until_s - now_s
    waits = f", {left_s:.0f} s left ·" if left_s > 0 else ""
    return f"{status.state or 'working'}{waits}"


def _fitted(left: list[tuple[str, str]], right: list[tuple[str, str]], width: int) -> Content:
    start = Content.assemble(*left)
    while right:
        end = Content("  ").join([Content.styled(text, style) for text, style in right])
        gap = width - start.cell_length - end.cell_length
        if gap >= 1:
            return Content.assemble(start, " " * gap, end)
        right = right[:-1]
    return start.truncate(max(1, width), ellipsis=True)


def _mode(mode: str) -> str:
    return {"ask": "ask", "accept-edits": "edits", "plan": "plan", "auto": "AUTO"}.get(mode, mode)


def _tokens(count: int) -> str:
    return f"{count / 1000:.1f}k" if count >= 1000 else str(count)
