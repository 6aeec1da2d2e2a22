"""The tools around background processes, artifacts, questions and todos, as a model uses them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from kram.events import Todo, TodosChanged
from kram.tools import Tool, ToolFailed, ToolResult, prepare
from kram.tools.arguments import Ready
from kram.tools.builtin.artifact_read import ArtifactRead
from kram.tools.builtin.ask_question import AskQuestion
from kram.tools.builtin.bash import Bash
from kram.tools.builtin.process_kill import ProcessKill
from kram.tools.builtin.process_list import ProcessList
from kram.tools.builtin.process_output import ProcessOutput
from kram.tools.builtin.process_write import ProcessWrite
from kram.tools.builtin.run_background import RunBackground
from kram.tools.builtin.todo_read import TodoRead
from kram.tools.builtin.todo_write import TodoWrite
from tests.support.tool_context import Stage

TOOLS: list[Tool] = [
    ArtifactRead(),
    AskQuestion(),
    Bash(),
    ProcessKill(),
    ProcessList(),
    ProcessOutput(),
    ProcessWrite(),
    RunBackground(),
    TodoRead(),
    TodoWrite(),
]
BY_NAME = {tool.name: tool for tool in TOOLS}


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    made = Stage(tmp_path)
    yield made
    await made.processes.close()


async def call(stage: Stage, name: str, **args: object) -> ToolResult:
    """Through the argument gate, as every call comes."""
    import json

    prepared = prepare(name, json.dumps(args), BY_NAME[name].parameters)
    assert isinstance(prepared, Ready), prepared
    return await BY_NAME[name].run(prepared.args, stage.context)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
async def test_every_tool_has_what_a_tool_needs(tool: Tool, stage: Stage) -> None:
    assert tool.name == tool.name.lower()
    assert 0 < len(tool.summary) < 80
    assert tool.description.endswith(".")
    assert tool.parameters["type"] == "object"
    assert await tool.preview({}, stage.context) == ""
    tool.effects(dict.fromkeys(tool.parameters["properties"], "x"))


async def test_a_background_process_from_start_to_end(stage: Stage) -> None:
    assert (await call(stage, "process_list")).text == "(no background processes)"
    started = await call(stage, "run_background", command="echo ready; while read x; do echo got $x; done; echo bye")
    assert started.text.startswith(f"started bg1 (pid {started.details['pid']}): echo ready")
    waited = await call(stage, "process_output", id="bg1", wait_for="^ready")
    assert waited.text.startswith("ready\n[matched: ready]\n[still running]")
    assert waited.details["still_running"] is True
    await call(stage, "process_write", id="bg1", input="hello")
    cursor = waited.details["cursor"]
    answered = await call(stage, "process_output", id="bg1", wait_for="got", cursor=cursor)
    assert answered.text.startswith("got hello\n")
    assert "bg1  running  echo ready" in (await call(stage, "process_list")).text
    await call(stage, "process_write", id="bg1", input="last", close=True)
    ended = await call(stage, "process_output", id="bg1", wait_for="")
    assert "ready\ngot hello\ngot last\nbye\n[it ended]\n[exited with 0]" in ended.text
    assert ended.details["still_running"] is False
    assert (await call(stage, "process_kill", id="bg1")).text == "bg1 had already ended: exited with 0"


async def test_killing_says_so(stage: Stage) -> None:
    await call(stage, "run_background", command="sleep 600")
    assert (await call(stage, "process_kill", id="bg1")).text == "killed bg1"
    assert "[killed]" in (await call(stage, "process_output", id="bg1")).text


async def test_waiting_in_vain_says_so(stage: Stage) -> None:
    await call(stage, "run_background", command="sleep 600")
    result = await call(stage, "process_output", id="bg1", wait_for="never", timeout_seconds=1)
    assert "nothing matched" in result.text


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("process_output", {"id": "bg9"}),
        ("process_kill", {"id": "bg9"}),
        ("process_write", {"id": "bg9", "input": "x"}),
        ("run_background", {"command": "true", "cwd": "/"}),
        ("run_background", {"command": "a\0b"}),
        ("artifact_read", {"id": "../../etc/passwd"}),
        ("artifact_read", {"id": "art_0123456789abcdef"}),
        ("ask_question", {"question": " "}),
        ("todo_write", {"todos": [{"content": " ", "status": "pending"}]}),
    ],
)
async def test_a_wrong_call_is_told_and_not_raised_as_a_fault(name: str, args: dict[str, object], stage: Stage) -> None:
    with pytest.raises(ToolFailed):
        await call(stage, name, **args)


async def test_a_reader_that_does_not_read_does_not_hold_the_call(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    await call(stage, "run_background", command="exec 0<&-; sleep 600")
    with pytest.raises(ToolFailed, match="input"):
        for _ in range(20):
            await call(stage, "process_write", id="bg1", input="x" * 10_000)


async def test_an_artifact_is_read_on_and_searched(stage: Stage) -> None:
    kept = stage.artifacts.put(
        "".join(f"row {i}\n" for i in range(5_000)).encode(), session_id="ses_0", call_id="c", tool="bash"
    )
    first = await call(stage, "artifact_read", id=kept)
    assert first.text.startswith("row 0\n")
    assert f"next offset {first.details['next_offset']}" in first.text
    assert first.details["next_offset"] <= 8_000
    found = await call(stage, "artifact_read", id=kept, search="^ROW 4999$", ignore_case=True)
    assert found.text.startswith("line 5000, offset ")
    last = await call(stage, "artifact_read", id=kept, offset=-9)
    assert last.text.startswith("row 4999\n[end, ")
    with pytest.raises(ToolFailed, match="regular expression"):
        await call(stage, "artifact_read", id=kept, search="(")


async def test_a_question_gets_its_answer_or_a_way_on(stage: Stage) -> None:
    stage.person.answers = ["blue", "  "]
    result = await call(stage, "ask_question", question="Which colour?", options=["blue", "red", "blue", ""])
    assert result.text == "The person answered: blue"
    assert stage.person.asked == [("Which colour?", ("blue", "red"))]
    assert "Decide yourself" in (await call(stage, "ask_question", question="And?")).text
    with pytest.raises(ToolFailed, match="Nobody can answer"):
        await call(stage, "ask_question", question="Anyone?")


async def test_todos_are_replaced_told_and_read(stage: Stage) -> None:
    assert (await call(stage, "todo_read")).text == "(no todos)"
    items = [
        {"content": "look", "status": "completed"},
        {"content": "fix", "status": "in_progress"},
        {"content": "test", "status": "pending"},
    ]
    written = await call(stage, "todo_write", todos=items)
    assert written.text == "[x] look\n[~] fix\n[ ] test"
    assert (await call(stage, "todo_read")).text == written.text
    assert stage.events == [
        TodosChanged(todos=tuple(Todo(content=str(one["content"]), status=one["status"]) for one in items))  # type: ignore[arg-type]
    ]
    await call(stage, "todo_write", todos=[])
    assert (await call(stage, "todo_read")).text == "(no todos)"
