"""The end of the conversation stays in sight while what stands below it comes and goes."""

from __future__ import annotations

from kram.tui.widgets.completions import Completion
from tests.tui.test_shell_snapshots import Host, nothing


async def test_the_end_stays_in_sight_when_the_list_above_the_prompt_opens_and_closes() -> None:
    host = Host("kram-dark", nothing)
    async with host.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        chat = host.screen
        conversation = chat.conversation  # type: ignore[attr-defined]
        completions = chat.completions  # type: ignore[attr-defined]
        assert conversation.viewport.following
        for _ in range(3):
            completions.offer([Completion(insert=f"/{n}", text=f"/{n}") for n in range(8)])
            await pilot.pause()
            completions.offer([])
            await pilot.pause()
        chat.prompt.put("one\ntwo\nthree\nfour")  # type: ignore[attr-defined]
        await pilot.pause()
        chat.prompt.clear_prompt()  # type: ignore[attr-defined]
        await pilot.pause()
        assert conversation.viewport.following
        assert conversation.viewport.top >= conversation.viewport.max_top
