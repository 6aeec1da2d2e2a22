"""What of a list of blocks is visible: heights estimated until a block is looked at, rows kept for what was, and a reading
position that stays where it is whatever happens above it. Knows blocks and rows, no widget.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence

from kram.base import Data
from kram.tui.blocks import Block
from kram.tui.lines import Line, Lines, Look, blank

from .heights import Heights

MAX_KEPT_BLOCKS = 240
MAX_KEPT_ROWS = 8_000

_NEVER, _EXACT, _STALE = 0, 1, 2


class Spot(Data):
    """A row of a block; -1 is the blank row before it."""

    index: int
    line: int


class Viewport:
    """Rows count from 0 at the top of the conversation; `top` is the first visible one of `height`.

    `top` points to the same text after every call, also when blocks above it turn out longer or shorter than estimated.
    While `following` it is the last page. `settle` must be called before rows are read.
    """

    def __init__(self, blocks: Sequence[Block], look: Look, *, width: int = 80, height: int = 24) -> None:
        self._blocks = blocks
        self._look = look
        self._heights = Heights()
        self._known = bytearray()
        self._kept: OrderedDict[Block, tuple[int, Lines]] = OrderedDict()
        self._rows_kept = 0
        self._blank = blank(width, look.text)
        self.width = width
        self.height = height
        self.top = 0
        self.following = True
        self.now_s = 0.0
        self.reset(blocks)

    # --- the list changes ---------------------------------------------------------------------------------------

    def reset(self, blocks: Sequence[Block]) -> None:
        """Another list; shown from its end."""
        self._blocks = blocks
        self._kept.clear()
        self._forget()
        self.top = 0
        self.following = True
        self._estimate_all()

    def splice(self, index: int, removed: int, added: int) -> None:
        """The list has changed: as in `transcript.Change`."""
        if removed == added == 1 and index < len(self._heights):
            self._changed(index)
            return
        above = self._heights.before(index)
        gone = self._heights.before(index + removed) - above
        heights = [self._guess(at) for at in range(index, index + added)]
        self._heights.splice(index, removed, heights)
        self._known[index : index + removed] = bytes(added)
        if above + gone <= self.top and not self.following:
            self.top += sum(heights) - gone
        self._regap(index + added)

    def _changed(self, index: int) -> None:
        """Keeps its height until it is looked at, unless it is out of sight."""
        if self._known[index] == _EXACT:
            self._known[index] = _STALE
        start = self._heights.before(index)
        if start >= self.top + self.height:
            self._set(index, self._guess(index))
        self._regap(index + 1)

    def _regap(self, index: int) -> None:
        """A block's blank row depends on the block before it."""
        if index < len(self._heights) and self._known[index] == _EXACT:
            kept = self._kept.get(self._blocks[index])
            if kept is not None and kept[0] == self._blocks[index].version:
                self._set(index, self._gap(index) + len(kept[1]))
            else:
                self._known[index] = _STALE

    def resize(self, width: int, height: int) -> None:
        if height != self.height:
            self.height = max(1, height)
        if width != self.width:
            self.width = max(10, width)
            self._relaid()

    def restyle(self, look: Look) -> None:
        if look is not self._look:
            self._look = look
            self._relaid()

    def _relaid(self) -> None:
        """Everything is laid out anew; the text at the top stays there."""
        index, offset = self._heights.at(self.top)
        share = offset / max(1, self._heights[index]) if len(self._heights) else 0.0
        self._forget()
        self._estimate_all()
        if len(self._heights) and not self.following:
            self.measure(index)
            self.top = self._heights.before(index) + int(share * self._heights[index])

    def _forget(self) -> None:
        for block in self._kept:
            block.release(parse=False)
            self._kept[block] = (-1, ())
        self._rows_kept = 0
        self._blank = blank(self.width, self._look.text)

    def _estimate_all(self) -> None:
        width, blocks = self.width, self._blocks
        heights: list[int] = []
        tight = True
        for block in blocks:
            now_tight = block.tight
            heights.append(block.estimate(width) + (0 if tight and (now_tight or not heights) else 1))
            tight = now_tight
        self._heights.reset(heights)
        self._known = bytearray(len(blocks))

    # --- heights ------------------------------------------------------------------------------------------------

    @property
    def total(self) -> int:
        return self._heights.total

    @property
    def max_top(self) -> int:
        return max(0, self.total - self.height)

    def start(self, index: int) -> int:
        """The row at which a block begins, its blank row included."""
        return self._heights.before(index)

    def gap(self, index: int) -> int:
        return self._gap(index)

    def _gap(self, index: int) -> int:
        if index == 0:
            return 0
        return 0 if self._blocks[index].tight and self._blocks[index - 1].tight else 1

    def _guess(self, index: int) -> int:
        return self._gap(index) + max(1, self._blocks[index].estimate(self.width))

    def measure(self, index: int, *, from_end: bool = True) -> None:
        """Makes the height of a block exact. One that is met for the first time keeps its end in place."""
        if self._known[index] != _EXACT:
            height = self._gap(index) + len(self.lines(index))
            from_end = from_end and self._known[index] == _NEVER
            self._known[index] = _EXACT
            self._set(index, height, from_end=from_end)

    def _set(self, index: int, height: int, *, from_end: bool = False) -> None:
        """What is visible stays in place. A block that is met from below keeps its end, one that grows its beginning."""
        old = self._heights[index]
        if height == old:
            return
        start = self._heights.before(index)
        difference = self._heights.set(index, height)
        if start + old <= self.top:
            self.top += difference
        elif start < self.top:
            self.top = max(start, self.top + difference) if from_end else min(self.top, start + height - 1)

    def lines(self, index: int) -> Lines:
        """The rows of a block, kept for the ones used last."""
        block = self._blocks[index]
        kept = self._kept.get(block)
        if kept is not None and kept[0] == block.version:
            self._kept.move_to_end(block)
            return kept[1]
        if kept is not None:
            self._rows_kept -= len(kept[1])
        lines = block.render(self.width, self._look, self.now_s)
        self._kept[block] = (block.version, lines)
        self._kept.move_to_end(block)
        self._rows_kept += len(lines)
        while len(self._kept) > MAX_KEPT_BLOCKS or (self._rows_kept > MAX_KEPT_ROWS and len(self._kept) > self.height):
            old, (_, rows) = self._kept.popitem(last=False)
            self._rows_kept -= len(rows)
            old.release()
        return lines

    # --- what is visible ----------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Measures what is visible and puts `top` in its place."""
        count = len(self._heights)
        if not count:
            self.top = 0
            return
        for _ in range(4):
            before = self.top
            if self.following:
                self._measure_end()
                self.top = self.max_top
            else:
                self._measure_page()
                self.top = min(max(0, self.top), self.max_top)
            if self.top == before:
                break

    def _measure_end(self) -> None:
        rows, index = 0, len(self._heights)
        while index and rows < self.height:
            index -= 1
            self.measure(index)
            rows += self._heights[index]

    def _measure_page(self) -> None:
        index, _ = self._heights.at(self.top)
        self.measure(index)
        index, _ = self._heights.at(self.top)
        row = self._heights.before(index)
        while index < len(self._heights) and row < self.top + self.height:
            self.measure(index)
            row += self._heights[index]
            index += 1

    def spot(self, y: int) -> Spot | None:
        """What stands in a visible row, None below the end."""
        row = self.top + y
        if row < 0 or row >= self.total:
            return None
        index, offset = self._heights.at(row)
        return Spot(index=index, line=offset - self._gap(index))

    def line(self, spot: Spot) -> Line:
        """The row at a spot. The first row of a running block is made anew each time."""
        if spot.line < 0:
            return self._blank
        block = self._blocks[spot.index]
        if spot.line == 0 and block.running:
            header = block.header(self.width, self._look, self.now_s)
            if header is not None:
                return header
        lines = self.lines(spot.index)
        return lines[spot.line] if spot.line < len(lines) else self._blank

    def visible(self) -> Iterator[tuple[Spot | None, Line]]:
        """The visible rows from top to bottom."""
        row, end, count = self.top, self.top + self.height, len(self._heights)
        index, offset = self._heights.at(row)
        while row < end:
            if index >= count or row >= self.total:
                yield None, self._blank
                row += 1
                continue
            gap = self._gap(index)
            for at in range(offset, self._heights[index]):
                if row >= end:
                    return
                spot = Spot(index=index, line=at - gap)
                yield spot, self.line(spot)
                row += 1
            index, offset = index + 1, 0

    # --- moving -------------------------------------------------------------------------------------------------

    def scroll(self, rows: int) -> None:
        """Moves by rows, exactly: what comes into sight is measured first. Reaching the end follows it again."""
        self.settle()
        if rows < 0:
            index, offset = self._heights.at(self.top)
            wanted = -rows - offset
            while wanted > 0 and index > 0:
                index -= 1
                self.measure(index)
                wanted -= self._heights[index]
        self.jump(self.top + rows)

    def jump(self, top: int) -> None:
        """Shows the page that begins at a row."""
        self.following = False
        self.top = max(0, top)
        if len(self._heights):
            self.measure(self._heights.at(self.top)[0], from_end=False)
        self.settle()
        self.following = self.top >= self.max_top

    def show(self, index: int, line: int = 0) -> None:
        """Brings a row of a block into sight, moving no more than needed."""
        self.measure(index)
        row = self._heights.before(index) + self._gap(index) + line
        if row < self.top:
            self.jump(row - 1)
        elif row >= self.top + self.height:
            self.jump(row - self.height + 2)

    def toggled(self, index: int) -> None:
        """A block was opened or closed: its header stays where it is, and the end is followed only if it is in sight."""
        self.following = False
        self.splice(index, 1, 1)
        self.settle()
        self.following = self.top >= self.max_top

    def follow(self) -> None:
        self.following = True
        self.settle()
