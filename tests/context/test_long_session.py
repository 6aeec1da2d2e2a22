"""Three hundred turns in a small window: every request is acceptable and fits, and what must stay is in each of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from kram.messages import Kind
from tests.support.long_session import PINNED, Story, play


@pytest.mark.timeout(300)
async def test_three_hundred_turns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    story = Story(no_summaries=range(100, 110), overflow_at=200)
    runtime = await play(tmp_path, 300, story)
    try:
        entries = runtime.entries()
        assert not story.wrong, "\n".join(story.wrong[:20])
        assert story.summaries > 5
        assert story.refused == 1
        assert set(story.stages) >= {"lod", "checkpoint", "summary"}
        assert sum(one.kind == Kind.USER for one in entries) == 301
        assert PINNED in [one.content for one in entries]
        with capsys.disabled():
            cost = runtime.usage.cost_usd or 0.0
            print(
                f"\n{story.requests} requests, largest {story.largest} tokens; {story.summaries} summaries; "
                f"stages {dict(story.stages)}; triggers {dict(story.triggers)}; ${cost:.4f}"
            )
    finally:
        await runtime.close()


async def test_without_a_summariser_nothing_is_a_dead_end(tmp_path: Path) -> None:
    story = Story(protocol="openai-chat", window=16_000, no_summaries=range(1_000), every_long=5, writes_long=True)
    runtime = await play(tmp_path, 11, story)
    try:
        assert not story.wrong, "\n".join(story.wrong[:20])
        assert story.summaries == 0
        assert set(story.stages) & {"structural", "emergency"}
    finally:
        await runtime.close()
