"""Kept outputs: listed by session, opened, and gone after a week."""

from __future__ import annotations

from pathlib import Path

import pytest

from kram.base import SystemClock, UsageError
from kram.workspace import Artifacts
from tests.support.opened import opened
from tests.support.processes import until

LONG = """
[[steps]]
calls = [{ name = "bash", args = { command = "seq 1 40000" } }]
[[steps]]
text = "Long."
"""


class LaterClock(SystemClock):
    def now_ns(self) -> int:
        return super().now_ns() - 8 * 86_400 * 10**9


async def test_a_long_output_is_listed_with_its_session_and_opened(tmp_path: Path) -> None:
    async with opened(tmp_path, LONG) as (runtime, _):
        await runtime.send("count")
        (kept,) = runtime.artifact_list()
        assert kept.session_id == runtime.session.id
        assert kept.call_id == next(entry.tool_call_id for entry in runtime.entries() if entry.tool_call_id)
        run = runtime.commands["artifacts"].run
        assert (await run(runtime, "")).startswith(f"{kept.id}  bash · 228,894 bytes")
        assert (await run(runtime, kept.id)).startswith("1\n2\n")
        with pytest.raises(UsageError, match="no artifact"):
            await run(runtime, "art_0000000000000000")
        runtime.new_session()
        assert "No output" in await run(runtime, "")
        assert kept.id in await run(runtime, "all")


async def test_outputs_older_than_a_week_are_removed_at_the_start(tmp_path: Path) -> None:
    folder = tmp_path / "home" / "data" / "artifacts"
    old = Artifacts(folder, LaterClock()).put(b"old", session_id="s", call_id="c", tool="bash")
    new = Artifacts(folder, SystemClock()).put(b"new", session_id="s", call_id="c", tool="bash")
    async with opened(tmp_path, "[[steps]]\ntext = 'a'\n"):
        await until(lambda: not (folder / f"{old}.json").exists())
        assert sorted(path.name for path in folder.iterdir()) == [f"{new}.bin", f"{new}.json"]
