"""Blocks to read: moved through by keys and wheel, opened and folded, copied, searched. What they are is the owner's."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.strip import Strip

from kram.tui.blocks import Block
from kram.tui.viewport import find

from .selectable import Selectable

WHEEL_ROWS = 3


class BlockReader(Selectable, can_focus=True):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "previous_block", "Block above", show=False, id="conversation.previous"),
        Binding("down,j", "next_block", "Block below", show=False, id="conversation.next"),
        Binding("enter,space", "toggle_output", "Open or fold", show=False, id="conversation.toggle"),
        Binding("o", "open_artifact", "Open the whole output", show=False, id="conversation.artifact"),
        Binding("y,c", "copy_block", "Copy block", show=False, id="conversation.copy"),
        Binding("n", "find_next", "Next match", show=False, id="conversation.find-next"),
        Binding("N", "find_previous", "Match before", show=False, id="conversation.find-previous"),
        Binding("ctrl+up", "line_up", "Up a line", show=False, id="conversation.line-up"),
        Binding("ctrl+down", "line_down", "Down a line", show=False, id="conversation.line-down"),
        Binding("pageup", "page_up", "Up a page", show=False, id="conversation.page-up"),
        Binding("pagedown", "page_down", "Down a page", show=False, id="conversation.page-down"),
        Binding("home", "scroll_home", "First line", show=False, id="conversation.home"),
        Binding("end", "scroll_end", "Last line", show=False, id="conversation.end"),
    ]

    def __init__(
        self,
        blocks: Sequence[Block],
        *,
        monotonic: Callable[[], float] = time.monotonic,
        widget_id: str | None = None,
    ) -> None:
        super().__init__(blocks, monotonic=monotonic, widget_id=widget_id)
        self.cursor: Block | None = None
        self._needle = ""

    def read(self, blocks: Sequence[Block]) -> None:
        """Shows other blocks, from where `reset` puts them."""
        self.cursor = self.selection = self.match = None
        self.reset(blocks)

    # --- scrolling ----------------------------------------------------------------------------------------------

    def action_page_up(self) -> None:
        self.scroll_rows(-max(1, self.room.height - 2))

    def action_page_down(self) -> None:
        self.scroll_rows(max(1, self.room.height - 2))

    def action_line_up(self) -> None:
        self.scroll_rows(-1)

    def action_line_down(self) -> None:
        self.scroll_rows(1)

    def action_scroll_home(self) -> None:
        self.viewport.jump(0)
        self.draw_now()

    def action_scroll_end(self) -> None:
        self.follow_end()

    def _on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.prevent_default().stop()
        self.scroll_rows(-WHEEL_ROWS)

    def _on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.prevent_default().stop()
        self.scroll_rows(WHEEL_ROWS)

    # --- one block ----------------------------------------------------------------------------------------------

    def action_previous_block(self) -> None:
        self._move_cursor(-1)

    def action_next_block(self) -> None:
        self._move_cursor(1)

    def _move_cursor(self, step: int) -> None:
        if not self.blocks:
            return
        at = self._cursor_index()
        if at is None:
            spot = self.viewport.spot(self.room.height - 1 if step < 0 else 0)
            at = spot.index if spot else len(self.blocks) - 1
        else:
            at = max(0, min(len(self.blocks) - 1, at + step))
        self.cursor = self.blocks[at]
        self.viewport.show(at)
        self._rows = []
        self.draw_now()

    def _cursor_index(self) -> int | None:
        for index in range(len(self.blocks) - 1, -1, -1):
            if self.blocks[index] is self.cursor:
                return index
        return None

    def action_toggle_output(self) -> None:
        """The chosen block, else the newest that is in sight and folds, else the newest at all."""
        at = self._cursor_index()
        if at is None:
            spots = [spot for spot, _ in self._rows if spot]
            seen = {spot.index for spot in spots}
            at = next((one for one in sorted(seen, reverse=True) if self.blocks[one].foldable), None)
        if at is None:
            at = next((one for one in range(len(self.blocks) - 1, -1, -1) if self.blocks[one].foldable), None)
        if at is not None:
            self.toggle(at)

    def action_open_artifact(self) -> None:
        """The stored output of the chosen block, else of the newest that has one."""
        at = self._cursor_index()
        chosen = [self.blocks[at]] if at is not None else [block for block in reversed(self.blocks) if block.artifact]
        if chosen and chosen[0].artifact:
            self.post_message(self.ArtifactOpened(chosen[0].artifact))

    def action_copy_block(self) -> None:
        self.copy_block()

    def copy_block(self) -> None:
        """The logical text of what is selected, else of the chosen block, else of the last one."""
        at = self._cursor_index()
        if text := self.selected_text():
            self.copy(text)
        elif self.blocks:
            self.copy(self.blocks[-1 if at is None else at].plain())

    def on_blur(self) -> None:
        if self.cursor is not None:
            self.cursor = None
            self.refresh()

    def strip_at(self, y: int) -> Strip:
        strip = super().strip_at(y)
        spot = self._rows[y][0] if y < len(self._rows) else None
        if self.cursor is None or spot is None or spot.line < 0 or self.blocks[spot.index] is not self.cursor:
            return strip
        return Strip([Segment("▌", self._look.third), *strip.crop(1)], strip.cell_length)

    # --- search -------------------------------------------------------------------------------------------------

    def find(self, text: str, *, backwards: bool = True) -> bool:
        """Shows an occurrence of a text, the nearest from the end of the page at first. False where there is none."""
        self._needle = text
        self.match = None
        return self._find(backwards=backwards)

    def find_next(self, *, backwards: bool = True) -> bool:
        """The one before (or behind) the occurrence that is shown."""
        return self._find(backwards=backwards)

    def action_find_next(self) -> None:
        self.find_next(backwards=False)

    def action_find_previous(self) -> None:
        self.find_next()

    def _find(self, *, backwards: bool) -> bool:
        ends = self.match.ends(self.blocks) if self.match else None
        start = ends[0] if ends else self._page_edge(last=backwards)
        found = find(self._needle, self.blocks, self.viewport, start, backwards=backwards)
        self.match = found
        place = found.ends(self.blocks) if found else None
        if place:
            self.viewport.show(place[0][0], place[0][1])
        self.refresh()
        self.draw_now()
        return found is not None

    def _page_edge(self, *, last: bool) -> tuple[int, int, int]:
        spot = self.viewport.spot(self.room.height - 1 if last else 0)
        if spot is None:
            return max(0, len(self.blocks) - 1), 1_000_000, 0
        return spot.index, spot.line, self.viewport.width if last else -1
