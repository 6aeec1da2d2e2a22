"""What the conversation looks like. After an intended change: `pytest tests/tui --snapshot-update`, and look at the pictures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from kram.events import ReasoningDelta, TextDelta, ToolProgressed, ToolStarted
from kram.tui.themes import load_themes
from kram.tui.transcript import Transcript
from kram.tui.widgets.conversation import Conversation
from tests.support.told import Told, long_session

Before = Callable[[Pilot[None]], Any]
THEMES = Path(__file__).resolve().parents[2] / "themes"


class Picture(App[None]):
    """The conversation alone, at a standing clock."""

    CSS = (THEMES / "kram.tcss").read_text("utf-8")
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, theme: str, told: Told, *, live: bool) -> None:
        super().__init__()
        for one, _ in load_themes().values():
            self.register_theme(one)
        self.theme = theme
        self.animation_level = "none"
        self._told = told
        self._live = live

    def compose(self) -> ComposeResult:
        yield Conversation(Transcript(lambda: 0.0), monotonic=lambda: 0.0)

    def on_mount(self) -> None:
        view = self.query_one(Conversation)
        if not self._live:
            view.load(self._told.entries)
            return
        for stamped in self._told.events:
            view.apply(stamped)
        view.draw_now()


def at_work() -> Told:
    """A turn in its middle: a running tool, then thinking and an answer that grows."""
    told = Told()
    told.asks("Run the tests and tell me what you think of them.")
    (call,) = told.answers("I run them.", ("bash", {"command": "pytest -q tests"}))
    told.emit(ToolStarted(id=call, name="bash", arguments={}))
    told.emit(ToolProgressed(id=call, output="".join(f"tests/test_{n}.py ....\n" for n in range(9))))
    told.emit(ReasoningDelta(text="They pass.\nThe person wants an opinion.\nSo I give one."))
    told.emit(
        TextDelta(text="They are **good**:\n\n- fast\n- clear\n\n```python\ndef test_it():\n    assert thing() ==")
    )
    return told


async def open_everything(pilot: Pilot[None]) -> None:
    await pilot.pause()
    view = pilot.app.query_one(Conversation)
    for index in range(len(view.blocks)):
        view.toggle(index)
    view.viewport.jump(0)
    view.draw_now()
    await pilot.pause()


async def page_up(pilot: Pilot[None]) -> None:
    await pilot.pause()
    pilot.app.query_one(Conversation).action_page_up()
    await pilot.pause()


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
@pytest.mark.parametrize("theme", ["kram-dark", "kram-light", "kram-ansi"])
def test_a_session_looks_right(snap_compare: Callable[..., bool], theme: str, size: tuple[int, int]) -> None:
    assert snap_compare(Picture(theme, long_session(), live=False), terminal_size=size)


@pytest.mark.parametrize(
    ("name", "before"), [("opened", open_everything), ("page above", page_up)], ids=["opened", "page-above"]
)
def test_its_other_faces_look_right(snap_compare: Callable[..., bool], name: str, before: Before) -> None:
    assert snap_compare(Picture("kram-dark", long_session(), live=False), terminal_size=(120, 40), run_before=before)


def test_a_turn_at_work_looks_right(snap_compare: Callable[..., bool]) -> None:
    assert snap_compare(Picture("kram-dark", at_work(), live=True), terminal_size=(120, 40))
