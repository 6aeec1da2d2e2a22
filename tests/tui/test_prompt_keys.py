"""Keys that come in one burst act in their order, editing keys among them."""

from __future__ import annotations

import pytest
from textual import events
from textual.app import App, ComposeResult

from kram.tui.widgets.prompt import Prompt


class Host(App[None]):
    def compose(self) -> ComposeResult:
        yield Prompt()


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ("a b backspace c", "ac"),
        ("x y ctrl+u z", "z"),
        ("a b left c", "acb"),
        ("a ctrl+a b ctrl+e c", "bac"),
        ("a ctrl+j b", "a\nb"),
    ],
)
async def test_a_burst_acts_in_order(keys: str, text: str) -> None:
    host = Host()
    async with host.run_test() as pilot:
        host.query_one(Prompt).focus()
        await pilot.pause()
        for key in keys.split():
            host.post_message(events.Key(key, key if len(key) == 1 else None))
        await pilot.pause()
        assert host.query_one(Prompt).text == text
