"""Memory and session search as the model uses them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from kram.messages import Kind, entry
from kram.tools import Ready, Tool, ToolFailed, builtin_tools, prepare
from tests.support.tool_context import Stage


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    made = Stage(tmp_path)
    yield made
    await made.processes.close()
    made.store.close()


def tool(name: str) -> Tool:
    return next(one for one in builtin_tools() if one.name == name)


async def call(stage: Stage, name: str, **args: Any) -> str:
    result = await tool(name).run(args, stage.context)
    return result.text


async def test_a_fact_is_kept_changed_found_and_removed(stage: Stage) -> None:
    kept = await call(stage, "memory_write", operation="add", content="tests need Docker")
    assert "#m1 [project] tests need Docker" in kept
    assert "17 of 2400" in kept
    now = await call(stage, "memory_write", operation="replace", id="m1", content="tests need podman", pinned=True)
    assert "#m1 [project, pinned] tests need podman" in now
    moved = await call(stage, "memory_write", operation="replace", id="#m1", scope="global")
    assert "[global, pinned] tests need podman" in moved
    assert await call(stage, "memory_search", query="podman?!") == "#m1 [global, pinned] tests need podman"
    assert "Removed" in await call(stage, "memory_write", operation="remove", id="m1")
    assert "no fact" in await call(stage, "memory_search", query="podman")


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ({"operation": "add"}, "content"),
        ({"operation": "replace", "content": "x"}, "id"),
        ({"operation": "remove"}, "id"),
        ({"operation": "replace", "id": "m1"}, "pinned"),
        ({"operation": "remove", "id": "m7"}, "m7"),
        ({"operation": "add", "content": "key ghp_" + "a" * 36}, "secret"),
    ],
)
async def test_what_cannot_be_done_says_what_to_do(stage: Stage, args: dict[str, Any], told: str) -> None:
    with pytest.raises(ToolFailed, match=told):
        await tool("memory_write").run(args, stage.context)
    assert stage.store.facts(stage.root) == []


async def test_a_full_memory_lists_what_there_is_to_consolidate(stage: Stage) -> None:
    for letter in "abcdef":
        await call(stage, "memory_write", operation="add", content=letter * 400)
    with pytest.raises(ToolFailed) as refused:
        await call(stage, "memory_write", operation="add", content="g")
    assert all(f"#m{number}" in str(refused.value) for number in range(1, 7))
    await call(stage, "memory_write", operation="add", content="g", scope="global")


async def test_earlier_words_come_with_their_surroundings(stage: Stage) -> None:
    other = stage.store.create(stage.root, "About retries").id
    stage.store.append(
        other, entry(Kind.USER, "how long is the retry budget?"), entry(Kind.ASSISTANT, "30 s in \x1b[31mall")
    )
    elsewhere = stage.store.create("/elsewhere").id
    stage.store.append(elsewhere, entry(Kind.USER, "another retry budget"))
    found = await call(stage, "session_search", query='"retry" budget?')
    assert f"[{other}] About retries" in found
    assert "person: how long is the retry budget?" in found
    assert "model: 30 s in \\x1b[31mall" in found
    assert "elsewhere" not in found
    everywhere = await call(stage, "session_search", query="retry budget", all_projects=True)
    assert "in /elsewhere" in everywhere
    assert (
        len((await call(stage, "session_search", query="retry budget", all_projects=True, limit=1)).split("\n\n")) == 1
    )
    assert "nothing was said" in await call(stage, "session_search", query="unheard of")


async def test_the_own_question_is_not_its_own_answer(stage: Stage) -> None:
    stage.store.append(stage.session_id, entry(Kind.USER, "what did we say about herons?"))
    assert "nothing was said" in await call(stage, "session_search", query="herons")


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("session_search", {"query": "x", "limit": 8, "scope": "all"}),
        ("session_search", {"query": "x", "scope": "user"}),
        ("memory_write", {"operation": "add", "content": "x", "scope": "global", "pinned": False}),
        ("memory_search", {"query": ""}),
    ],
)
def test_the_documented_parameters_are_valid(name: str, args: dict[str, Any]) -> None:
    assert isinstance(prepare(name, json.dumps(args), tool(name).parameters), Ready)
