"""The visible part of a long conversation: right rows, steady reading position, nothing made that is not looked at."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st
from rich.segment import Segment

from kram.tui.blocks import Block
from kram.tui.lines import DARK, LIGHT, Line, Lines, Look, look, row
from kram.tui.viewport import Heights, Viewport

LOOK = look(DARK)


class Plain(Block):
    """Rows `key.n`; its estimate is wrong on purpose."""

    def __init__(self, key: str, rows: int, guess: int = 0) -> None:
        super().__init__(key)
        self.rows = rows
        self.guess = guess or rows
        self.renders = 0

    def render(self, width: int, look: Look, now_s: float = 0.0) -> Lines:
        self.renders += 1
        count = self.rows * 80 // width
        return [self._row(n, width, look) for n in range(max(1, count))]

    def _row(self, n: int, width: int, look: Look) -> Line:
        return row([Segment(f"{self.key}.{n}", look.text)], width, look.text)

    def estimate(self, width: int) -> int:
        return self.guess

    def plain(self) -> str:
        return self.key


def wrong(count: int, seed: int = 1) -> list[Block]:
    rng = random.Random(seed)
    return [Plain(str(n), rng.randint(1, 9), rng.randint(1, 9)) for n in range(count)]


def seen(view: Viewport) -> list[str]:
    return [line.text.strip() for _, line in view.visible()]


def everything(blocks: list[Block]) -> list[str]:
    rows: list[str] = []
    for block in blocks:
        rows += [""] if rows else []
        rows += [f"{block.key}.{n}" for n in range(len(block.render(80, LOOK)))]
    return rows


def view_of(blocks: list[Block], height: int = 20) -> Viewport:
    view = Viewport(blocks, LOOK, width=80, height=height)
    view.settle()
    return view


@given(st.lists(st.integers(0, 9), min_size=1, max_size=50), st.data())
def test_heights_agree_with_counting(heights: list[int], data: st.DataObject) -> None:
    fast = Heights(heights)
    for _ in range(5):
        index = data.draw(st.integers(0, len(heights)))
        removed = data.draw(st.integers(0, len(heights) - index))
        added = data.draw(st.lists(st.integers(0, 9), max_size=4))
        fast.splice(index, removed, added)
        heights[index : index + removed] = added
        if heights:
            at = data.draw(st.integers(0, len(heights) - 1))
            heights[at] = data.draw(st.integers(0, 9))
            fast.set(at, heights[at])
        assert [fast.before(n) for n in range(len(heights) + 1)] == [sum(heights[:n]) for n in range(len(heights) + 1)]
        for y in range(sum(heights)):
            index, offset = fast.at(y)
            assert sum(heights[:index]) + offset == y
            assert offset < heights[index]


def test_it_opens_at_the_end_with_the_right_rows() -> None:
    blocks = wrong(200)
    assert seen(view_of(blocks)) == everything(blocks)[-20:]


def test_scrolling_goes_row_by_row_through_everything_although_estimates_are_wrong() -> None:
    blocks = wrong(60)
    view = view_of(blocks)
    rows = everything(blocks)
    for distance in range(1, len(rows) - 20 + 1):
        view.scroll(-1)
        assert seen(view) == rows[-20 - distance : len(rows) - distance]
    for _ in range(len(rows)):
        view.scroll(7)
    assert view.following
    assert seen(view) == rows[-20:]


def test_a_page_up_shows_exactly_the_page_before() -> None:
    blocks = wrong(300, seed=4)
    view = view_of(blocks)
    rows = everything(blocks)
    for page in range(1, 20):
        view.scroll(-18)
        assert seen(view) == rows[-20 - 18 * page : len(rows) - 18 * page]


def test_only_what_is_visible_is_ever_made() -> None:
    blocks = [Plain(str(n), 3) for n in range(10_000)]
    view = view_of(list(blocks))
    view.jump(view.max_top // 2)
    view.splice(9_999, 1, 1)
    view.settle()
    assert sum(block.renders for block in blocks) < 40


def test_the_end_is_followed_only_by_who_is_there() -> None:
    blocks: list[Block] = [Plain(str(n), 5) for n in range(20)]
    view = view_of(blocks)
    blocks.append(Plain("new", 5))
    view.splice(20, 0, 1)
    view.settle()
    assert seen(view)[-1] == "new.4"
    view.scroll(-3)
    before = seen(view)
    blocks.append(Plain("newer", 5))
    view.splice(21, 0, 1)
    view.settle()
    assert seen(view) == before
    assert not view.following


def test_what_is_read_stays_when_something_above_changes() -> None:
    blocks: list[Block] = [Plain(str(n), 5) for n in range(50)]
    view = view_of(blocks)
    view.jump(150)
    before = seen(view)
    blocks.insert(3, Plain("summary", 4))
    view.splice(3, 0, 1)
    view.settle()
    assert seen(view) == before
    del blocks[5:9]
    view.splice(5, 4, 0)
    view.settle()
    assert seen(view) == before


def test_a_block_that_grows_while_it_is_read_keeps_its_beginning() -> None:
    growing = Plain("long", 60)
    view = view_of([Plain("a", 2), growing])
    view.jump(10)
    before = seen(view)
    growing.rows = 90
    growing.changed()
    view.splice(1, 1, 1)
    view.settle()
    assert seen(view) == before


def test_a_resize_keeps_what_is_at_the_top() -> None:
    blocks: list[Block] = [Plain(str(n), 8) for n in range(500)]
    view = view_of(blocks)
    view.jump(2_000)
    top = seen(view)[0].partition(".")[0]
    for width in (40, 120, 80):
        view.resize(width, 20)
        view.settle()
        names = {text.partition(".")[0] for text in seen(view)[:3]}
        assert top in names


def test_a_change_of_style_or_width_makes_rows_anew_and_no_change_does_not() -> None:
    block = Plain("a", 3)
    view = view_of([block])
    view.settle()
    assert block.renders == 1
    view.restyle(look(LIGHT))
    view.settle()
    assert block.renders == 2


def test_memory_of_rows_is_bounded() -> None:
    blocks: list[Block] = [Plain(str(n), 30) for n in range(2_000)]
    view = view_of(blocks)
    for _ in range(400):
        view.scroll(-19)
    assert len(view._kept) <= 300


def test_an_empty_conversation_is_blank() -> None:
    view = view_of([])
    assert seen(view) == [""] * 20
    view.scroll(-3)
    view.scroll(3)
    assert view.following
