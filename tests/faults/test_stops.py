"""The stop key at random moments of turns that do everything: the history is valid, no child lives on, nothing waits for an
answer any more, and the next turn runs."""

from __future__ import annotations

import asyncio
import os
import random
from collections import Counter
from pathlib import Path

import pytest

from kram import events
from kram.config import Model
from kram.events import ApprovalAnswer, ApprovalRequest, Stamped
from kram.messages import Kind
from kram.providers.anthropic.request import build
from kram.runtime import Runtime
from tests.support.strict import assert_acceptable
from tests.support.turns import RETRIED, arrange

BLOCKS, STOPS = 10, 20
LOOPING = RETRIED.replace("sleep 0.02", "sleep 0.1")


class SlowPerson:
    """Lets a dialog stand for a moment before it is answered; `waiting` counts the open ones."""

    def __init__(self, dice: random.Random) -> None:
        self._dice = dice
        self.waiting = 0

    async def _wait(self) -> None:
        self.waiting += 1
        try:
            await asyncio.sleep(self._dice.choice((0, 0, 0.01)))
        finally:
            self.waiting -= 1

    async def approve(self, request_id: str, request: ApprovalRequest) -> ApprovalAnswer:
        await self._wait()
        return ApprovalAnswer(decision=self._dice.choice(("once", "once", "deny")))

    async def ask(self, question_id: str, question: str, options: tuple[str, ...]) -> str | None:
        await self._wait()
        return "yes"


def children() -> set[int]:
    """Living children of this process and theirs."""
    found: set[int] = set()
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid() and fields[0] != "Z":
            found.add(int(entry.name))
    return found


async def stopped_somewhere(runtime: Runtime, dice: random.Random) -> str:
    """Starts a turn, or a compaction, and stops it after a random number of events; says how the turn ended."""
    due = dice.randrange(1, 160)
    seen = 0

    def heard(stamped: Stamped) -> None:
        nonlocal seen
        seen += not isinstance(stamped.event, events.UsageChanged)
        if seen == due:
            runtime.interrupt()

    end = runtime.subscribe(heard)
    turn = asyncio.create_task(runtime.send("do it all, " + "at length " * 40))
    if dice.random() < 0.3:
        await asyncio.sleep(dice.random() * 0.4)
        runtime.interrupt()
    try:
        async with asyncio.timeout(20):
            return (await turn).subtype
    finally:
        end()


def configured(folder: Path) -> None:
    """A scripted provider with a small window, so that compactions happen in the middle of turns."""
    script = arrange(folder, LOOPING)
    config = folder / "home" / "config"
    config.mkdir(parents=True)
    (config / "config.toml").write_text(
        f"""
        default_combo = "small"
        [context]
        headroom = -1
        [providers.s]
        kind = "script"
        script = "{script}"
        [providers.s.models.m]
        context_window = 9000
        [combos.small]
        candidates = ["s/m"]
        """
    )


@pytest.mark.parametrize("block", range(BLOCKS))
async def test_esc_at_random_moments(tmp_path: Path, block: int) -> None:
    dice = random.Random(block)
    person = SlowPerson(dice)
    before = children()
    configured(tmp_path)
    runtime = await Runtime.open(tmp_path / "ws", user=person, env={"KRAM_HOME": str(tmp_path / "home")})
    ends: list[str] = []
    happened: Counter[str] = Counter()
    runtime.subscribe(lambda stamped: happened.update([type(stamped.event).__name__]))
    try:
        for _ in range(STOPS):
            ends.append(await stopped_somewhere(runtime, dice))
            assert not runtime.busy
            assert person.waiting == 0
            assert children() == before
            entries = runtime.entries()
            calls = sorted(one.tool_call_id for one in entries if one.kind == Kind.TOOL_CALL)
            assert calls == sorted(one.tool_call_id for one in entries if one.kind == Kind.TOOL_RESULT)
            body = build(runtime.inspect().request, Model(provider="a", id="m"), stream=True, quirks=frozenset())
            assert_acceptable("anthropic", body)
    finally:
        await runtime.close()
    assert ends.count("interrupted") >= STOPS // 3, ends
    for name in ("ToolFinished", "ApprovalAsked", "QuestionAsked", "Retrying"):
        assert happened[name], f"no turn came as far as {name}"
    assert children() == before
