"""Whole turns killed at random moments and at every named point: the store is sound, what was told is there, no effect
without a decision, the history is valid, and the session goes on."""

from __future__ import annotations

import random
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import kram
from kram.base import SystemClock
from kram.config import Model
from kram.messages import Entry, Kind
from kram.providers.anthropic.request import build
from kram.runtime import Options, Runtime
from kram.sessions import Store
from tests.support.forked import Told, Yes, forked_turns
from tests.support.strict import assert_acceptable
from tests.support.turns import EVERYTHING, SLOW, arrange

BLOCKS, KILLS = 10, 10
POINTS = sorted(
    {
        name
        for path in Path(kram.__file__).parent.rglob("*.py")
        for name in re.findall(r'crash_point\("([^"]+)"\)', path.read_text("utf-8"))
    }
)
ELSEWHERE = {
    "screen:edited",
    "fork:inside",
    "migrate:inside",
    "uncompact:before",
    "uncompact:inside",
    "uncompact:after",
}
"""Points that a turn does not pass; the store's own tests kill there."""


async def assert_goes_on(folder: Path, told: Told) -> None:
    """Everything that must hold after a kill, ending with a turn in the same session."""
    db = folder / "home" / "data" / "kram.db"
    if not db.exists():
        return
    with closing(sqlite3.connect(db)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    with Store.open(db, SystemClock()) as store:
        assert store.salvaged == ""
        sessions = store.sessions(folder / "ws")
        if not sessions:
            assert not told.lines
            return
        entries = store.entries(sessions[0].id)
        stored = {one.tool_call_id: one.content for one in entries if one.kind == Kind.TOOL_RESULT}
        for call, text in told.results().items():
            assert stored[call].startswith(text[:200])
        answers = [one.content for one in entries if one.kind == Kind.ASSISTANT]
        assert all(text in answers for text in told.said() if text.strip())
        log = folder / "ws" / "effects.log"
        effects = log.read_text().count("ran") if log.exists() else 0
        allowed = [one for one in store.decisions(sessions[0].id) if one.tool == "bash" and one.decision != "deny"]
        assert effects <= len(allowed), "an effect without a decision"
    script = folder / "again.toml"
    script.write_text('version = 1\n[[steps]]\ntext = "Back again."\n')
    runtime = await Runtime.open(
        folder / "ws",
        Options(script=str(script), session="continue"),
        user=Yes(),
        env={"KRAM_HOME": str(folder / "home")},
    )
    try:
        body = build(runtime.inspect().request, Model(provider="a", id="m"), stream=True, quirks=frozenset())
        if body["messages"]:
            assert_acceptable("anthropic", body)
        assert_each_call_has_one_result(runtime.entries())
        result = await runtime.send("go on")
        assert (result.subtype, result.text) == ("success", "Back again."), result.error
    finally:
        await runtime.close()


def assert_each_call_has_one_result(entries: list[Entry]) -> None:
    calls = [one.tool_call_id for one in entries if one.kind == Kind.TOOL_CALL]
    results = [one.tool_call_id for one in entries if one.kind == Kind.TOOL_RESULT]
    assert sorted(calls) == sorted(results)
    assert len(set(calls)) == len(calls)


@pytest.mark.parametrize("block", range(BLOCKS))
async def test_s05_kill_9_at_random_moments(tmp_path: Path, block: int) -> None:
    dice = random.Random(block)
    killed = 0
    for number in range(KILLS):
        folder = tmp_path / str(number)
        script = arrange(folder)
        told = forked_turns(
            folder, script, turns=2, kill_after=dice.randrange(1, 70), pause_s=dice.choice((0.0, 0.001, 0.01, 0.03))
        )
        killed += told.killed
        await assert_goes_on(folder, told)
    assert killed >= KILLS // 2, "most processes must have been killed, not ended"


@pytest.mark.parametrize("point", [one for one in POINTS if one not in ELSEWHERE])
async def test_s05_kill_at_a_named_point(tmp_path: Path, point: str) -> None:
    for number in (1, 2, 4):
        folder = tmp_path / str(number)
        script = arrange(folder, SLOW if point.startswith("partial") else EVERYTHING)
        told = forked_turns(folder, script, turns=2, crash_point=f"{point}:{number}")
        assert told.killed or number > 1, f"a turn passes {point}"
        await assert_goes_on(folder, told)


async def test_a_call_that_was_cut_off_is_told_as_of_unknown_outcome(tmp_path: Path) -> None:
    script = arrange(tmp_path)
    # The first command ran, and its result was not stored.
    forked_turns(tmp_path, script, crash_point="tool:after:4")
    again = tmp_path / "again.toml"
    again.write_text('version = 1\n[[steps]]\nexpect = { last_result = "Outcome unknown" }\ntext = "I look first."\n')
    runtime = await Runtime.open(
        tmp_path / "ws",
        Options(script=str(again), session="continue"),
        user=Yes(),
        env={"KRAM_HOME": str(tmp_path / "home")},
    )
    try:
        (unknown,) = [one for one in runtime.entries() if one.status == "unknown"]
        assert unknown.tool_name == "bash"
        assert (tmp_path / "ws" / "effects.log").read_text().count("ran") == 1
        result = await runtime.send("go on")
        assert result.text == "I look first.", result.error
        assert (tmp_path / "ws" / "effects.log").read_text().count("ran") == 1, "never redone by itself"
    finally:
        await runtime.close()
