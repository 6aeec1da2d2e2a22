"""Memory in whole turns: what the model keeps, when it is in the prompt, and what a person does with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from kram.base import UsageError
from kram.messages import Fact
from kram.runtime import Runtime
from kram.runtime.recall import prompt_facts
from tests.support.opened import opened


def memory_part(runtime: Runtime) -> str:
    return "\n".join(part.content for part in runtime.inspect().prompt.parts if part.id == "memory")


async def command(runtime: Runtime, args: str) -> str:
    return await runtime.commands["memory"].run(runtime, args)


async def test_what_is_kept_in_a_run_is_in_the_prompt_from_the_next_message_on(tmp_path: Path) -> None:
    script = """
    [[steps]]
    calls = [{ name = "memory_write", args = { operation = "add", content = "the port is 8123" } }]
    [[steps]]
    text = "Kept."
    [[steps]]
    text = "Again."
    """
    prompts: list[str] = []
    async with opened(tmp_path, script) as (runtime, _):
        runtime.subscribe(lambda _: prompts.append(memory_part(runtime)))
        await runtime.send("keep the port")
        assert not any(prompts), "the prompt of a run stays as it was"
        await runtime.send("and now?")
        assert "#m1 [project] the port is 8123" in memory_part(runtime)


async def test_global_facts_reach_every_project_of_the_same_person(tmp_path: Path) -> None:
    async with opened(tmp_path, "[[steps]]\ntext = 'a'\n") as (runtime, _):
        await command(runtime, "add global answer briefly")
        await command(runtime, "add only here")
        home = tmp_path / "home"
    other = tmp_path / "other"
    (other / "ws").mkdir(parents=True)
    (other / "home").symlink_to(home)
    async with opened(other, "[[steps]]\ntext = 'a'\n") as (runtime, _):
        assert [fact.content for fact in runtime.recall.facts()] == ["answer briefly"]
        await runtime.send("hello")
        assert "[global] answer briefly" in memory_part(runtime)


async def test_a_person_lists_adds_edits_pins_moves_finds_and_removes(tmp_path: Path) -> None:
    async with opened(tmp_path, "[[steps]]\ntext = 'a'\n") as (runtime, _):
        assert "Nothing is remembered" in await command(runtime, "")
        assert "#m1 [project] one fact" in await command(runtime, "one fact")
        assert "#m1 [project] another" in await command(runtime, "edit m1 another")
        assert "[project, pinned] another" in await command(runtime, "pin #m1")
        assert "[global, pinned]" in await command(runtime, "global m1")
        assert "#m1" in await command(runtime, "find another?")
        assert "Characters used: project 0 of 2400, global 7 of 2400" in await command(runtime, "")
        for wrong in ("edit", "edit m1", "pin", "remove the old one", "remove m9"):
            with pytest.raises(UsageError):
                await command(runtime, wrong)
        assert "Removed" in await command(runtime, "remove m1")
        assert runtime.recall.facts() == []


def fact(number: int, *, pinned: bool = False) -> Fact:
    return Fact(
        id=f"m{number}", workspace="/w", content=f"fact {number}", pinned=pinned, created_at=0, updated_at=number
    )


@pytest.mark.parametrize(
    ("pinned", "others", "shown", "left"), [(0, 3, 3, 0), (2, 20, 8, 14), (11, 5, 11, 5), (8, 1, 8, 1)]
)
def test_the_prompt_carries_eight_facts_and_every_pinned_one(pinned: int, others: int, shown: int, left: int) -> None:
    facts = [*(fact(n, pinned=True) for n in range(pinned)), *(fact(100 + n) for n in range(others))]
    lines = prompt_facts(facts).splitlines()
    rows = [line for line in lines if line.startswith("#")]
    assert len(rows) == shown
    assert sum("pinned" in row for row in rows) == pinned
    assert (f"({left} more: memory_search finds them)" in lines) == bool(left)
