"""Reminders ride on one request, each by its own rule, and are never stored."""

from __future__ import annotations

from pathlib import Path

from kram.agent import Reminding
from kram.base import content_hash
from kram.context import todo_lines, todo_missing
from kram.events import Todo
from kram.messages import Entry, Kind, entry
from kram.workspace import ReadLedger, Workspace
from tests.support.opened import opened

TODOS = (Todo(content="paint the wall", status="in_progress"),)


def answers(count: int) -> list[Entry]:
    return [one for _ in range(count) for one in (entry(Kind.USER, "u"), entry(Kind.ASSISTANT, "a"))]


def names(found: list[tuple[str, str]]) -> list[str]:
    return [name for name, _ in found]


async def test_plan_mode_is_said_when_it_begins_now_and_then_and_when_it_ends(tmp_path: Path) -> None:
    reminding = Reminding(Workspace(tmp_path), ReadLedger())
    history = answers(2)
    assert names(await reminding.due(history, (), "ask")) == []
    assert names(await reminding.due(history, (), "plan")) == ["plan-mode"]
    assert names(await reminding.due([*history, *answers(9)], (), "plan")) == []
    longer = [*history, *answers(10)]
    assert names(await reminding.due(longer, (), "plan")) == ["plan-mode"]
    (over,) = await reminding.due(longer, (), "ask")
    assert "off" in over[1]
    assert names(await reminding.due(longer, (), "ask")) == []


async def test_the_todo_list_is_brought_to_mind_after_ten_answers(tmp_path: Path) -> None:
    reminding = Reminding(Workspace(tmp_path), ReadLedger())
    history = answers(10)
    assert names(await reminding.due(history, TODOS, "ask")) == ["todo"]
    assert names(await reminding.due([*history, *answers(9)], TODOS, "ask")) == []
    assert names(await reminding.due([*history, *answers(10)], TODOS, "ask")) == ["todo"]
    assert names(await reminding.due([*history, *answers(30)], (), "ask")) == []


async def test_files_that_changed_since_they_were_read_are_named_once(tmp_path: Path) -> None:
    file, other = tmp_path / "a.txt", tmp_path / "b.txt"
    ledger = ReadLedger()
    for path in (file, other):
        path.write_text("one")
        ledger.note(str(path), content_hash(b"one"))
    reminding = Reminding(Workspace(tmp_path), ledger)
    assert await reminding.due([], (), "ask") == []
    file.write_text("another")
    (told,) = await reminding.due([], (), "ask")
    assert "- a.txt" in told[1]
    assert "b.txt" not in told[1]
    assert await reminding.due([], (), "ask") == []
    file.write_text("a third text")
    other.unlink()
    (told,) = await reminding.due([], (), "ask")
    assert "- a.txt" in told[1]
    assert "- b.txt" in told[1]
    ledger.note(str(file), content_hash(b"a third text"))
    assert await reminding.due([], (), "ask") == []


async def test_the_same_content_again_is_no_change(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("one")
    ledger = ReadLedger()
    ledger.note(str(file), content_hash(b"one"))
    reminding = Reminding(Workspace(tmp_path), ledger)
    file.write_text("two two")
    file.write_text("one")
    assert await reminding.due([], (), "ask") == []


def test_a_todo_list_that_cannot_be_read_any_more_is_missing() -> None:
    shown = entry(Kind.TOOL_RESULT, "[~] paint the wall", tool_name="todo_write")
    assert not todo_missing((), [])
    assert todo_missing(TODOS, [])
    assert not todo_missing(TODOS, [shown, entry(Kind.USER, "u")])
    assert todo_missing((Todo(content="paint the wall", status="completed"),), [shown])
    assert not todo_missing(TODOS, [entry(Kind.COMPACTION, f"sum\n{todo_lines(TODOS)}")])


SCRIPT = """
[[steps]]
calls = [{ name = "read_file", args = { path = "a.txt" } }]
[[steps]]
text = "Read."
[[steps]]
expect = { contains = "changed on disk since you last read them" }
text = "I see that."
[[steps]]
expect = { contains = "Plan mode is on" }
text = "Planning."
"""


async def test_reminders_reach_the_model_and_not_the_record(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "a.txt").write_text("one")
    async with opened(tmp_path, SCRIPT) as (runtime, _):
        await runtime.send("read")
        (tmp_path / "ws" / "a.txt").write_text("two")
        assert (await runtime.send("and now?")).text == "I see that."
        runtime.set_mode("plan")
        assert (await runtime.send("plan it")).text == "Planning."
        assert not any("system-reminder" in one.content for one in runtime.entries())
        assert [one.content for one in runtime.entries() if one.kind == Kind.USER] == ["read", "and now?", "plan it"]
