"""Selecting in a block view: dragging marks text across blocks and copies its logical lines when the button is let go;
at the edges the view scrolls along. A click without a drag opens and closes blocks.
"""

from __future__ import annotations

from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer

from kram.tui.viewport import Mark, Selection, highlighted

from .block_view import MARGIN, BlockView

EDGE_S = 0.05


class Selectable(BlockView):
    """`selection` is what the mouse marked, `match` what a search found; both stay until something else is marked."""

    class Copied(Message, namespace="conversation"):
        """Text went to the clipboard."""

        def __init__(self, text: str) -> None:
            self.text = text
            super().__init__()

    class LinkClicked(Message, namespace="conversation"):
        """An http or https link was clicked; whether it is opened is the owner's to decide."""

        def __init__(self, url: str) -> None:
            self.url = url
            super().__init__()

    class ArtifactOpened(Message, namespace="conversation"):
        """The person wants to see an artifact."""

        def __init__(self, artifact_id: str) -> None:
            self.artifact_id = artifact_id
            super().__init__()

    selection: Selection | None = None
    match: Selection | None = None
    _drag_from: Mark | None = None
    _drag_to: tuple[int, int] = (0, 0)
    _edge_timer: Timer | None = None

    def copy(self, text: str) -> None:
        """To the clipboard by way of the terminal (OSC 52)."""
        if text:
            self.app.copy_to_clipboard(text)
            self.post_message(self.Copied(text))

    def selected_text(self) -> str:
        return self.selection.text(self.blocks, self.viewport) if self.selection else ""

    def unmark(self) -> bool:
        """Nothing is marked any more. False where nothing was."""
        if self.selection is None and self.match is None:
            return False
        self.selection = self.match = None
        self.refresh()
        return True

    # --- the mouse ----------------------------------------------------------------------------------------------

    def on_mouse_down(self, event: events.MouseDown) -> None:
        if event.button != 1:
            return
        self.unmark()
        self._drag_from = self._mark(event.x, event.y)
        if self._drag_from is not None:
            self.capture_mouse()
        event.stop()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._drag_from is None:
            return
        self._drag_to = (event.x, event.y)
        self._drag()
        outside = not 0 <= event.y < self.room.height
        if outside and self._edge_timer is None:
            self._edge_timer = self.set_interval(EDGE_S, self._scroll_along, name="edge")
        elif not outside:
            self._stop_edge()
        event.stop()

    def on_mouse_up(self, event: events.MouseUp) -> None:
        if self._drag_from is None:
            return
        self._drag_from = None
        self.release_mouse()
        self._stop_edge()
        if self.selection is None:
            self.clicked(event.x, event.y)
        else:
            self.copy(self.selected_text())
        event.stop()

    def _drag(self) -> None:
        head = self._mark(*self._drag_to)
        if head is None or self._drag_from is None:
            return
        if self.selection is not None or head != self._drag_from:
            self.selection = Selection(self._drag_from, head)
            self.refresh()

    def _scroll_along(self) -> None:
        beyond = self._drag_to[1] if self._drag_to[1] < 0 else self._drag_to[1] - self.room.height + 1
        self.scroll_rows(max(-5, min(5, beyond)))
        self._drag()

    def _stop_edge(self) -> None:
        if self._edge_timer is not None:
            self._edge_timer.stop()
            self._edge_timer = None

    def _mark(self, x: int, y: int) -> Mark | None:
        """The cell under the pointer, inside the view and before the end of the conversation."""
        if not self.blocks:
            return None
        y = max(0, min(y, self.room.height - 1))
        spot = self.viewport.spot(y)
        if spot is None:
            last = len(self.blocks) - 1
            return Mark(block=self.blocks[last], line=len(self.viewport.lines(last)) - 1, cell=self.viewport.width)
        return Mark(block=self.blocks[spot.index], line=spot.line, cell=max(0, x - MARGIN))

    def clicked(self, x: int, y: int) -> None:
        """A click: a link, an artifact, or a header that folds."""
        spot = self.viewport.spot(y)
        if spot is None or spot.line < 0:
            return
        block = self.blocks[spot.index]
        strip = self.viewport.line(spot).strip.crop(max(0, x - MARGIN), max(0, x - MARGIN) + 1)
        link = next((segment.style.link for segment in strip if segment.style and segment.style.link), "")
        if link:
            self.post_message(self.LinkClicked(link))
        elif block.artifact and spot.line and spot.line == len(self.viewport.lines(spot.index)) - 1:
            self.post_message(self.ArtifactOpened(block.artifact))
        elif spot.line == 0 or self.viewport.line(spot).mute:
            self.toggle(spot.index)

    def toggle(self, index: int) -> bool:
        """Opens or closes a block; its header stays where it is."""
        if not self.blocks[index].toggle():
            return False
        self.viewport.toggled(index)
        self.draw_now()
        return True

    # --- painting -----------------------------------------------------------------------------------------------

    def strip_at(self, y: int) -> Strip:
        strip = super().strip_at(y)
        if self.selection is None and self.match is None:
            return strip
        spot = self._rows[y][0] if y < len(self._rows) else None
        if spot is None:
            return strip
        for marked, style in ((self.match, self._look.match), (self.selection, self._look.selection)):
            ends = marked.ends(self.blocks) if marked else None
            if marked and ends:
                start, stop = marked.span(spot, self.viewport.width, ends)
                line = self._rows[y][1]
                start, stop = max(start, line.left), min(stop, line.right if line.right >= 0 else stop)
                strip = highlighted(strip, start + MARGIN, stop + MARGIN, style)
        return strip
