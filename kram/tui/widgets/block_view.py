"""A scroll view over blocks by Textual's line API: only visible rows are made, only rows that differ are repainted.

Nothing ticks while nothing happens. Changes of one frame are joined; frames come at most 22 times a second and less often
where drawing takes long, so that keys always get their turn. A running tool's row is repainted alone, without layout.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar

from rich.segment import Segment
from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import Reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.theme import Theme
from textual.widget import Widget

from kram.tui.blocks import FRAME_S as SPINNER_S
from kram.tui.blocks import Block
from kram.tui.lines import DARK, Line, look, palette_for
from kram.tui.viewport import Spot, Viewport

FRAME_S = 0.045
SLOW_SHARE = 2.0
SLOWEST_FRAME_S = 0.5
MARGIN = 1


class BlockView(ScrollView):
    """`blocks` is the owner's list, read again whenever it says what changed (`changed`, `reset`)."""

    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = []
    DEFAULT_CSS = """
    BlockView {
        height: 1fr;
        overflow-x: hidden;
        overflow-y: scroll;
        scrollbar-size-vertical: 1;
    }
    """

    class LinesBelow(Message, namespace="conversation"):
        """How many rows stand below the visible ones, and how many of them came since the end was left. Both 0 at the end."""

        def __init__(self, count: int, new: int) -> None:
            self.count = count
            self.new = new
            super().__init__()

    def __init__(
        self,
        blocks: Sequence[Block],
        *,
        monotonic: Callable[[], float] = time.monotonic,
        widget_id: str | None = None,
    ) -> None:
        super().__init__(id=widget_id)
        self._monotonic = monotonic
        self._look = look(DARK)
        self.blocks = blocks
        self.viewport = Viewport(blocks, self._look)
        self._rows: list[tuple[Spot | None, Line]] = []
        self._timer: asyncio.TimerHandle | None = None
        self._not_before_s = 0.0
        self._unseen = 0
        self._seen_total: int | None = None
        self._told = (0, 0)
        self._margin = Segment(" " * MARGIN, self._look.text)

    @property
    def room(self) -> Size:
        """The visible cells, without the scroll bar."""
        return self.scrollable_content_region.size

    # --- what the owner says ------------------------------------------------------------------------------------

    def reset(self, blocks: Sequence[Block]) -> None:
        """Another list of blocks, shown from its end."""
        self.blocks = blocks
        self.viewport.reset(blocks)
        self._unseen, self._seen_total = 0, None
        self.draw_now()

    def changed(self, index: int, removed: int, added: int) -> None:
        """From `index` on, `removed` blocks went and `added` came; 1 and 1: the block changed. Drawn with the next frame."""
        if self._seen_total is None:
            self._seen_total = self.viewport.total
        self.viewport.splice(index, removed, added)
        self.draw_soon()

    # --- frames -------------------------------------------------------------------------------------------------

    def draw_soon(self) -> None:
        """With the next frame: at once after a pause, else when the last frame is old enough."""
        if self._timer is None and self.is_attached:
            self._wake(max(0.0, self._not_before_s - self._monotonic()))

    def _wake(self, after_s: float) -> None:
        # Not a timer of Textual's: those skip a tick that comes late, and a frame must never be lost.
        self._timer = asyncio.get_running_loop().call_later(after_s, self.call_later, self._frame)

    def _frame(self) -> None:
        self._sleep()
        self.draw_now()

    def _sleep(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def draw_now(self) -> None:
        """Lays out what is visible and repaints the rows that differ."""
        if not self.is_attached or not self.room.height:
            return
        self._sleep()
        began_s = self._monotonic()
        view = self.viewport
        view.now_s = began_s
        view.settle()
        rows = list(view.visible())
        self._repaint(rows)
        self._place()
        self._tell()
        took_s = self._monotonic() - began_s
        self._not_before_s = began_s + min(SLOWEST_FRAME_S, max(FRAME_S, took_s * (1 + SLOW_SHARE)))
        if any(spot and spot.line == 0 and self.blocks[spot.index].running for spot, _ in rows):
            self._wake(SPINNER_S)

    def _repaint(self, rows: list[tuple[Spot | None, Line]]) -> None:
        old, self._rows = self._rows, rows
        width = self.room.width
        if len(old) != len(rows):
            self.refresh()
            return
        different = [y for y, (mine, other) in enumerate(zip(rows, old, strict=True)) if mine[1] is not other[1]]
        if different:
            self.refresh(*(Region(0, start, width, count) for start, count in _runs(different)))

    def _place(self) -> None:
        """The scroll bar and Textual's own idea of the position; no layout takes part."""
        view = self.viewport
        size = Size(self.room.width, view.total)
        if size != self.virtual_size:
            self.set_reactive(_VIRTUAL_SIZE, size)
            self.vertical_scrollbar.window_virtual_size = size.height
            self.vertical_scrollbar.window_size = view.height
        if self.scroll_y != view.top:
            self.set_reactive(_SCROLL_Y, float(view.top))
            self.set_reactive(_SCROLL_TARGET_Y, float(view.top))
            self.vertical_scrollbar.position = view.top

    def _tell(self) -> None:
        view = self.viewport
        if view.following:
            self._unseen = 0
        elif self._seen_total is not None:
            self._unseen = max(0, self._unseen + view.total - self._seen_total)
        self._seen_total = None
        below = 0 if view.following else max(0, view.total - view.top - view.height)
        told = (below, min(below, self._unseen))
        if told != self._told:
            self._told = told
            self.post_message(self.LinesBelow(*told))

    # --- painting -----------------------------------------------------------------------------------------------

    def render_lines(self, crop: Region) -> list[Strip]:
        strips = [self.strip_at(y) for y in crop.line_range]
        for line_filter in self.get_line_filters():
            ground = self.background_colors[1]
            strips = [strip.apply_filter(line_filter, ground) for strip in strips]
        if crop.column_span != (0, self.room.width):
            start, end = crop.column_span
            strips = [strip.crop(start, end) for strip in strips]
        return strips

    def strip_at(self, y: int) -> Strip:
        """A visible row between the margins."""
        if y >= len(self._rows):
            return Strip.blank(self.room.width, self._look.text)
        return self._rows[y][1].framed(self._margin, self._margin)

    # --- Textual's side -----------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        self.app.theme_changed_signal.subscribe(self, self._restyle)
        self._restyle(self.app.current_theme)

    def on_show(self) -> None:
        self._rows = []
        self.draw_now()

    def on_unmount(self) -> None:
        self._sleep()

    def _size_updated(self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True) -> bool:
        """A layout that leaves this view as it is (a prompt causes one a key) must not repaint its scroll bar."""
        if size == self._size and container_size - self.styles.gutter.totals == self._container_size:
            return False
        return super()._size_updated(size, virtual_size, container_size, layout)

    def _restyle(self, theme: Theme) -> None:
        ansi = self.app.native_ansi_color or (theme.background or "").startswith("ansi_")
        self._look = look(palette_for(self.app.theme_variables, dark=theme.dark, ansi=ansi))
        self._margin = Segment(" " * MARGIN, self._look.text)
        self.viewport.restyle(self._look)
        self._rows = []
        self.draw_now()

    def on_resize(self) -> None:
        self.viewport.resize(self.room.width - 2 * MARGIN, self.room.height)
        self._rows = []
        self.draw_now()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Someone else scrolled: the scroll bar, or Textual."""
        if self.viewport.following and self.room.height != self.viewport.height:
            # The view grows or shrinks: Textual moves it into its new bounds, nobody scrolled.
            return
        if round(new_value) != self.viewport.top:
            self.viewport.jump(round(new_value))
            self.draw_now()

    def scroll_rows(self, rows: int) -> None:
        """By rows, exactly; up is negative."""
        self.viewport.scroll(rows)
        self.draw_now()

    def follow_end(self) -> None:
        """To the end, and on with it."""
        self.viewport.follow()
        self.draw_now()


def _runs(rows: Iterable[int]) -> list[tuple[int, int]]:
    """Neighbouring rows as (first, count)."""
    runs: list[tuple[int, int]] = []
    for y in rows:
        if runs and sum(runs[-1]) == y:
            runs[-1] = (runs[-1][0], runs[-1][1] + 1)
        else:
            runs.append((y, 1))
    return runs


_VIRTUAL_SIZE: Reactive[Size] = Widget.virtual_size
_SCROLL_Y: Reactive[float] = Widget.scroll_y
_SCROLL_TARGET_Y: Reactive[float] = Widget.scroll_target_y
