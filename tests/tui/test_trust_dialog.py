"""The trust dialog's keys: the default is no, early keys are handed on, what cannot be trusted cannot be."""

from __future__ import annotations

import pytest
from textual import events
from textual.app import App

from kram.config import TrustItem, TrustReview, TrustState
from kram.tui.dialogs.trust import TrustDialog
from kram.tui.themes import load_themes, stylesheets


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def found(problem: str = "") -> TrustReview:
    state = TrustState(standing="new", digest="d", files=(".mcp.json",), problem=problem)
    items = (
        TrustItem(name=".mcp.json", what="MCP servers", text="{}"),
        TrustItem(name="AGENTS.md", what="instructions", text="[bold]Be kind[/]\x1b[31m"),
    )
    return TrustReview(state=state, items=items)


class Host(App[None]):
    def __init__(self, review: TrustReview) -> None:
        super().__init__(css_path=[str(path) for path in stylesheets()])
        for one, _ in load_themes().values():
            self.register_theme(one)
        self.theme = "kram-dark"
        self.clock = Clock()
        self.review = review
        self.answers: list[bool | None] = []
        self.spilled: list[str] = []

    def on_mount(self) -> None:
        dialog = TrustDialog("/p", self.review, spill=self._spill, monotonic=self.clock)
        self.push_screen(dialog, self.answers.append)

    def _spill(self, event: events.Key) -> None:
        self.spilled.append(event.key)


async def test_early_keys_answer_nothing_and_each_starts_the_wait_anew() -> None:
    host = Host(found())
    async with host.run_test() as pilot:
        await pilot.press("y", "x")
        host.clock.now = 0.3
        await pilot.press("y")
        host.clock.now = 0.6
        await pilot.press("enter")
        assert (host.answers, host.spilled) == ([], ["y", "x", "y", "enter"])
        host.clock.now = 1.1
        await pilot.press("y")
        assert host.answers == [True]


@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        (["enter"], [False]),
        (["n"], [False]),
        (["escape"], [None]),
        (["ctrl+c"], [None]),
        (["right", "enter"], [True]),
        (["tab", "tab", "enter"], [False]),
        (["y", "y"], [True]),
        (["t"], []),
        (["down", "pagedown", "up", "x"], []),
    ],
)
async def test_what_each_key_answers(keys: list[str], answer: list[bool | None]) -> None:
    host = Host(found())
    async with host.run_test() as pilot:
        host.clock.now = 1
        await pilot.press(*keys)
        assert host.answers == answer


async def test_what_cannot_be_checked_cannot_be_trusted() -> None:
    host = Host(found("There is too much below .kram to check it"))
    async with host.run_test() as pilot:
        host.clock.now = 1
        await pilot.press("y", "right", "enter")
        assert host.answers == []
        await pilot.press("n")
        assert host.answers == [False]


async def test_a_files_text_is_shown_and_not_obeyed() -> None:
    host = Host(found())
    async with host.run_test() as pilot:
        await pilot.press("down")
        shown = str(host.screen.query_one("#text").render())  # type: ignore[attr-defined]
        assert "[bold]Be kind[/]" in shown
        assert "\x1b" not in shown
