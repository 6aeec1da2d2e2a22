"""Finding text in the conversation: in the logical text of every block, shown where it stands on the screen."""

from __future__ import annotations

from collections.abc import Sequence

from kram.tui.blocks import Block
from kram.tui.lines import Lines, cells

from .selection import Mark, Selection
from .viewport import Viewport


def find(
    needle: str, blocks: Sequence[Block], viewport: Viewport, start: tuple[int, int, int], *, backwards: bool = False
) -> Selection | None:
    """The next occurrence behind (or before) a block index, line and cell, around the end once; letter case is ignored.

    Opens a folded block where only its folded part has the text.
    """
    wanted = needle.casefold()
    if not wanted or not blocks:
        return None
    count = len(blocks)
    step = -1 if backwards else 1
    for distance in range(count + 1):
        index = (start[0] + step * distance) % count
        block = blocks[index]
        if wanted not in block.plain().casefold():
            continue
        found = occurrences(viewport.lines(index), wanted)
        if not found and block.foldable and block.folded:
            block.toggle()
            viewport.splice(index, 1, 1)
            found = occurrences(viewport.lines(index), wanted)
        if distance == 0:
            behind = [one for one in found if (one[0] > start[1:] if not backwards else one[0] < start[1:])]
        else:
            behind = found
        if behind:
            (line, cell), (end_line, end_cell) = behind[-1] if backwards else behind[0]
            return Selection(Mark(block=block, line=line, cell=cell), Mark(block=block, line=end_line, cell=end_cell))
    return None


def occurrences(lines: Lines, wanted: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """(line, cell) of the beginning and behind the end of each occurrence of casefolded text, wraps ignored."""
    text: list[str] = []
    where: list[tuple[int, int, str]] = []
    length = 0
    for at, line in enumerate(lines):
        if line.mute:
            continue
        if text:
            between = "\n" if line.join is None else line.join
            text.append(between)
            length += len(between)
        # Folding a letter may make two of it; then positions are right within that row only.
        own = line.copied()
        where.append((length, at, own))
        text.append(own.casefold())
        length += len(text[-1])
    whole = "".join(text)
    found: list[tuple[tuple[int, int], tuple[int, int]]] = []
    position = whole.find(wanted)
    while position >= 0:
        found.append((_place(where, lines, position), _place(where, lines, position + len(wanted) - 1, behind=True)))
        position = whole.find(wanted, position + len(wanted))
    return found


def _place(where: list[tuple[int, int, str]], lines: Lines, position: int, *, behind: bool = False) -> tuple[int, int]:
    start, at, own = next(one for one in reversed(where) if one[0] <= position)
    return at, lines[at].left + cells(own[: position - start + int(behind)])
