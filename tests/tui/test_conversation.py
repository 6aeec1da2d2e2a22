"""The conversation on a screen: costs what is visible, follows only who is at the end, is read and copied by keys and mouse."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.app import App, ComposeResult
from textual.events import MouseScrollUp
from textual.pilot import Pilot
from textual.widgets import Input

from kram.events import Notice, TextDelta, ToolProgressed, ToolStarted
from kram.messages import Entry, Kind, entry
from kram.tui.transcript import Transcript
from kram.tui.widgets.conversation import Conversation
from tests.support.told import ANSWER, Told, long_session


class Shell(App[None]):
    """A conversation and a prompt; keeps what the conversation says."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[object] = []

    def compose(self) -> ComposeResult:
        yield Conversation(Transcript(lambda: 0.0), widget_id="conversation")
        yield Input()

    def on_conversation_lines_below(self, message: Conversation.LinesBelow) -> None:
        self.said.append(message)

    def on_conversation_copied(self, message: Conversation.Copied) -> None:
        self.said.append(message)

    def on_conversation_artifact_opened(self, message: Conversation.ArtifactOpened) -> None:
        self.said.append(message)

    def on_conversation_link_clicked(self, message: Conversation.LinkClicked) -> None:
        self.said.append(message)


class Screen:
    """What a test does with a running shell."""

    def __init__(self, app: Shell, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot
        self.view = app.query_one(Conversation)

    def rows(self) -> list[str]:
        return [self.view.strip_at(y).text.strip() for y in range(self.view.room.height)]

    async def play(self, told: Told, start: int = 0) -> None:
        for stamped in told.events[start:]:
            self.view.apply(stamped)
        await self.drawn()

    async def drawn(self) -> None:
        """Until nothing waits to be drawn. A running tool always waits: one more frame is enough then."""
        self.view.draw_now()
        await self.pilot.pause()

    def row_of(self, text: str) -> int:
        return next(y for y, row in enumerate(self.rows()) if text in row)


@asynccontextmanager
async def shell(columns: int = 100, rows: int = 30) -> AsyncIterator[Screen]:
    app = Shell()
    async with app.run_test(size=(columns, rows)) as pilot:
        yield Screen(app, pilot)


def many(count: int) -> list[Entry]:
    return [
        entry(Kind.ASSISTANT if n % 2 else Kind.USER, f"message {n}\n\n{ANSWER if n % 2 else ''}", at_ns=n + 1)
        for n in range(count)
    ]


async def test_ten_thousand_messages_are_not_one_widget_more() -> None:
    async with shell() as screen:
        empty = len(screen.app.query("*"))
        screen.view.load(many(10_000))
        await screen.drawn()
        assert len(screen.app.query("*")) == empty
        assert sum(1 for block in screen.view.blocks if getattr(block, "_markdown", None)) < 40


async def test_streaming_does_not_lay_out_the_screen_and_adds_no_widget() -> None:
    async with shell() as screen:
        screen.view.load(many(50))
        await screen.drawn()
        widgets = len(screen.app.query("*"))
        layouts: list[object] = []
        screen.app.screen.screen_layout_refresh_signal.subscribe(screen.view, layouts.append)
        for number in range(100):
            told = Told()
            told.emit(TextDelta(text=f"word{number}\n\n"))
            await screen.play(told)
        assert screen.view.viewport.following
        assert "word99" in "".join(screen.rows())
        assert len(layouts) == 0
        assert len(screen.app.query("*")) == widgets


async def test_nothing_ticks_while_nothing_happens() -> None:
    async with shell() as screen:
        await screen.play(long_session())
        await screen.drawn()
        assert screen.view._timer is None


async def test_a_running_tool_ticks_and_only_its_own_row_is_repainted() -> None:
    async with shell() as screen:
        told = Told()
        told.asks("go")
        (call,) = told.answers(("bash", {"command": "make"}))
        told.emit(ToolStarted(id=call, name="bash", arguments={}))
        told.emit(ToolProgressed(id=call, output="one\ntwo\n"))
        await screen.play(told)
        assert screen.view._timer is not None
        before = list(screen.view._rows)
        screen.view.draw_now()
        after = screen.view._rows
        different = [y for y, (old, new) in enumerate(zip(before, after, strict=True)) if old[1] is not new[1]]
        assert different == [screen.row_of("bash")]
        told.finishes(call, "bash", "done")
        await screen.play(told, len(told.events) - 2)
        assert screen.view._timer is None


async def test_who_reads_above_is_told_of_new_lines_and_stays_where_they_are() -> None:
    async with shell() as screen:
        screen.view.load(many(100))
        await screen.drawn()
        screen.view.action_page_up()
        before = screen.rows()
        told = Told()
        told.emit(Notice(text="one\ntwo\nthree"))
        await screen.play(told)
        assert screen.rows() == before
        told_of = [one for one in screen.app.said if isinstance(one, Conversation.LinesBelow)][-1]
        assert told_of.new == 4
        assert told_of.count > 4
        screen.view.action_scroll_end()
        await screen.pilot.pause()
        assert screen.rows()[-1] == "three"
        assert (screen.app.said[-1].count, screen.app.said[-1].new) == (0, 0)


async def test_keys_and_wheel_scroll() -> None:
    async with shell() as screen:
        screen.view.load(many(100))
        screen.view.focus()
        await screen.drawn()
        end = screen.rows()
        await screen.pilot.press("ctrl+up")
        assert screen.rows()[1:] == end[:-1]
        await screen.pilot.press("pageup", "pagedown", "ctrl+down")
        assert screen.view.viewport.following
        assert screen.rows() == end
        screen.view.post_message(MouseScrollUp(screen.view, 5, 5, 0, 0, 0, False, False, False))
        await screen.pilot.pause()
        assert screen.rows()[3:] == end[:-3]
        assert screen.view.scroll_offset.y == screen.view.viewport.top
        await screen.pilot.press("home")
        assert screen.view.viewport.top == 0
        assert "message 0" in "".join(screen.rows())
        await screen.pilot.press("end")
        assert screen.view.viewport.following


async def test_the_scroll_bar_moves_the_page() -> None:
    async with shell() as screen:
        screen.view.load(many(100))
        await screen.drawn()
        screen.view.scroll_to(y=10, animate=False)
        await screen.pilot.pause()
        assert screen.view.viewport.top == 10
        assert not screen.view.viewport.following


async def test_a_resize_keeps_what_is_read() -> None:
    async with shell(120, 30) as screen:
        screen.view.load(many(400))
        await screen.drawn()
        screen.view.scroll_rows(-1500)
        name = next(row for row in screen.rows() if "message" in row)
        for width in (80, 120):
            await screen.pilot.resize_terminal(width, 30)
            await screen.drawn()
            assert any(name.split()[-1] in row for row in screen.rows())
        assert all(screen.view.strip_at(y).cell_length == screen.view.room.width for y in range(30 - 3))


async def test_a_click_opens_a_tool_and_its_header_stays_in_place() -> None:
    async with shell(100, 40) as screen:
        await screen.play(long_session())
        screen.view.action_page_up()
        y = screen.row_of("read_file")
        assert "size = 1" not in screen.rows()[y + 1]
        await screen.pilot.click(Conversation, offset=(10, y))
        await screen.drawn()
        assert screen.row_of("read_file") == y
        assert "1 import os" in screen.rows()[y + 1]
        await screen.pilot.click(Conversation, offset=(10, y))
        await screen.drawn()
        assert "1 import os" not in screen.rows()[y + 1]


async def test_ctrl_o_folds_the_newest_block_in_sight_and_the_chosen_one_by_keys() -> None:
    async with shell(100, 60) as screen:
        told = Told()
        told.asks("go")
        first, second = told.answers(("read_file", {"path": "a"}), ("read_file", {"path": "b"}))
        told.runs(first, "read_file", "text of a")
        told.runs(second, "read_file", "text of b")
        await screen.play(told)
        screen.view.action_toggle_output()
        assert "text of b" in "".join(screen.rows())
        screen.view.focus()
        await screen.pilot.press("up", "up", "enter")
        assert "text of a" in "".join(screen.rows())
        assert any(screen.view.strip_at(y).text.startswith("▌") for y in range(20))


async def drag(screen: Screen, start: tuple[int, int], end: tuple[int, int]) -> None:
    await screen.pilot.mouse_down(Conversation, offset=start)
    await screen.pilot.hover(Conversation, offset=end)
    await screen.pilot.mouse_up(Conversation, offset=end)
    await screen.pilot.pause()


def copies(screen: Screen) -> list[str]:
    return [one.text for one in screen.app.said if isinstance(one, Conversation.Copied)]


async def test_a_drag_copies_logical_lines_across_blocks() -> None:
    async with shell(60, 40) as screen:
        question = "a question that is long enough to be wrapped in its narrow block on the right"
        answer = "An answer that is far too long for one row of this narrow terminal, too."
        told = Told()
        told.asks(question)
        told.answers(f"{answer}\n\n```python\nx = 1\n```")
        told.ends()
        await screen.play(told)
        await drag(screen, (0, 0), (59, screen.row_of("x = 1")))
        assert copies(screen) == [f"{question}\n\n{answer}\n\nx = 1"]
        assert screen.app.clipboard == copies(screen)[0]


async def test_a_drag_within_a_row_copies_those_cells() -> None:
    async with shell() as screen:
        told = Told()
        told.asks("x")
        told.answers("alpha beta 漢字 gamma")
        await screen.play(told)
        y = screen.row_of("alpha")
        start = screen.view.strip_at(y).text.index("beta")
        await drag(screen, (start, y), (start + len("beta 漢字") + 2, y))
        assert copies(screen) == ["beta 漢字"]


async def test_a_drag_beyond_the_edge_scrolls_along_and_copies_what_went_by() -> None:
    async with shell(80, 20) as screen:
        told = Told()
        told.emit(Notice(text="\n".join(f"row {n}" for n in range(200))))
        await screen.play(told)
        await screen.pilot.mouse_down(Conversation, offset=(70, 10))
        screen.view._drag_to = (0, -3)
        for _ in range(20):
            screen.view._scroll_along()
        await screen.pilot.mouse_up(Conversation, offset=(0, 0))
        await screen.pilot.pause()
        lines = copies(screen)[0].split("\n")
        assert len(lines) > 60
        assert lines == [f"row {n}" for n in range(int(lines[0].split()[1]), int(lines[-1].split()[1]) + 1)]
        assert screen.view._edge_timer is None


async def test_a_block_is_copied_as_it_was_written() -> None:
    async with shell() as screen:
        told = Told()
        told.asks("x")
        told.answers(ANSWER)
        await screen.play(told)
        screen.view.focus()
        await screen.pilot.press("up", "y")
        assert copies(screen) == [ANSWER]


async def test_search_finds_opens_and_marks() -> None:
    async with shell(80, 20) as screen:
        entries = many(200)
        told = Told()
        told.asks("x")
        (call,) = told.answers(("read_file", {"path": "a"}))
        told.runs(call, "read_file", "\n".join(f"line {n}" for n in range(50)) + "\nNEEDLE in hay")
        screen.view.load([*told.entries, *entries])
        await screen.drawn()
        assert screen.view.find("needle IN")
        assert "NEEDLE in hay" in "".join(screen.rows())
        y = screen.row_of("NEEDLE")
        marked = [
            one.text
            for one in screen.view.strip_at(y)
            if one.style and one.style.bgcolor == screen.view._look.match.bgcolor
        ]
        assert marked == ["NEEDLE in"]
        assert not screen.view.find("not there at all")
        assert screen.view.find("message 7")
        first = screen.view.match.ends(screen.view.blocks)
        assert screen.view.find_next()
        assert screen.view.match.ends(screen.view.blocks) < first


async def test_links_and_artifacts_are_told_to_the_shell() -> None:
    async with shell(100, 40) as screen:
        told = Told()
        told.asks("x")
        (call,) = told.answers("see https://example.org/x there", ("bash", {"command": "x"}))
        told.runs(call, "bash", "out", artifact="art_0123456789abcdef")
        await screen.play(told)
        await screen.pilot.click(Conversation, offset=(12, screen.row_of("example.org")))
        screen.view.action_toggle_output()
        await screen.pilot.click(Conversation, offset=(12, screen.row_of("art_0123456789abcdef")))
        await screen.pilot.pause()
        kinds = {type(one): one for one in screen.app.said}
        assert kinds[Conversation.LinkClicked].url == "https://example.org/x"
        assert kinds[Conversation.ArtifactOpened].artifact_id == "art_0123456789abcdef"


@pytest.mark.parametrize("theme", ["textual-dark", "textual-light", "ansi-dark", "nord"])
async def test_another_theme_changes_colours_and_not_the_text(theme: str) -> None:
    async with shell() as screen:
        await screen.play(long_session())
        before = screen.rows()
        if theme not in screen.app.available_themes:
            pytest.skip("not in this version")
        screen.app.theme = theme
        await screen.drawn()
        assert [row.strip("│ ") for row in screen.rows()] == [row.strip("│ ") for row in before]


async def test_an_empty_conversation_takes_keys_and_clicks() -> None:
    async with shell() as screen:
        screen.view.focus()
        await screen.pilot.press("up", "down", "enter", "y", "n", "pageup", "home", "end")
        await screen.pilot.click(Conversation, offset=(3, 3))
        screen.view.load(many(3))
        screen.view.clear()
        await screen.drawn()
        assert set(screen.rows()) == {""}
