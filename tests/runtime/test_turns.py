"""Whole turns through the runtime: order, approvals, interruption, budgets, compaction, sessions."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from kram import events
from kram.base import UsageError
from kram.context import pair, render
from kram.events import ApprovalAnswer
from kram.messages import Entry, Kind
from kram.runtime import Runtime
from tests.support.opened import ScriptedUser, opened

READ_TWO = """
[[steps]]
text = "Both at once."
calls = [{ name = "read_file", args = { path = "a.txt" } }, { name = "read_file", args = { path = "b.txt" } }]
[[steps]]
expect = { contains = "bee" }
text = "Read."
"""

EDIT = """
[[steps]]
calls = [{ name = "edit_file", args = { path = "a.txt", old_string = "ant", new_string = "bear" } }]
[[steps]]
text = "Done."
"""


def kinds(entries: list[Entry]) -> list[str]:
    return [entry.kind for entry in entries]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "a.txt").write_text("ant\n")
    (tmp_path / "ws" / "b.txt").write_text("bee\n")
    return tmp_path


async def test_calls_are_stored_before_their_results_and_results_come_in_call_order(folder: Path) -> None:
    async with opened(folder, READ_TWO) as (runtime, heard):
        result = await runtime.send("look")
        assert (result.subtype, result.text, result.model_calls) == ("success", "Read.", 2)
        entries = runtime.entries()
        assert kinds(entries) == [
            "user",
            "assistant",
            "tool_call",
            "tool_call",
            "tool_result",
            "tool_result",
            "assistant",
        ]
        calls = [entry.tool_call_id for entry in entries if entry.kind == Kind.TOOL_CALL]
        assert [entry.tool_call_id for entry in entries if entry.kind == Kind.TOOL_RESULT] == calls
        assert [event.id for event in heard.of(events.ToolFinished)] == calls


async def test_every_entry_is_on_disk_before_it_is_told(folder: Path) -> None:
    async with opened(folder, READ_TWO) as (runtime, _):
        missing = []

        def check(stamped: events.Stamped) -> None:
            if isinstance(stamped.event, events.EntryAdded):
                stored = {entry.id: entry.content for entry in runtime.entries()}
                if stored.get(stamped.event.entry.id) != stamped.event.entry.content:
                    missing.append(stamped.event.entry)

        runtime.subscribe(check)
        await runtime.send("look")
        assert not missing


async def test_an_edit_is_asked_with_its_diff_and_runs_after_yes(folder: Path) -> None:
    user = ScriptedUser()
    async with opened(folder, EDIT, user=user) as (runtime, _):
        await runtime.send("edit")
    (request,) = user.asked
    assert "-ant" in request.diff
    assert "+bear" in request.diff
    assert str(folder / "ws" / "a.txt") in request.body
    assert (folder / "ws" / "a.txt").read_text() == "bear\n"


async def test_a_denied_edit_changes_nothing_and_the_note_reaches_the_model(folder: Path) -> None:
    user = ScriptedUser([ApprovalAnswer(decision="deny", note="use the other file")])
    async with opened(folder, EDIT, user=user) as (runtime, heard):
        await runtime.send("edit")
        assert "use the other file" in heard.of(events.ToolFinished)[0].text
    assert (folder / "ws" / "a.txt").read_text() == "ant\n"


async def test_what_was_edited_in_the_dialog_is_what_runs(folder: Path) -> None:
    changed = {"path": "b.txt", "old_string": "bee", "new_string": "bison"}
    user = ScriptedUser([ApprovalAnswer(decision="once", arguments=changed)])
    async with opened(folder, EDIT, user=user) as (runtime, _):
        await runtime.send("edit")
    assert (folder / "ws" / "a.txt").read_text() == "ant\n"
    assert (folder / "ws" / "b.txt").read_text() == "bison\n"


async def test_a_file_that_changes_while_approval_is_asked_voids_it(folder: Path) -> None:
    user = ScriptedUser()
    seen: list[str] = []

    def meddle() -> None:
        if not seen:
            (folder / "ws" / "a.txt").write_text("first\nant\n")
        seen.append("asked")

    user.before_answer = meddle
    async with opened(folder, EDIT, user=user) as (runtime, _):
        await runtime.send("edit")
    assert len(user.asked) == 2
    assert "first" in user.asked[1].diff


async def test_always_holds_at_once_and_in_the_next_session(folder: Path) -> None:
    script = """
    [[steps]]
    calls = [{ name = "bash", args = { command = "mkdir -p made" } }, { name = "bash", args = { command = "mkdir -p more" } }]
    [[steps]]
    text = "Done."
    """
    user = ScriptedUser(["always"])
    async with opened(folder, script, user=user) as (runtime, _):
        await runtime.send("run")
    assert [request.rule for request in user.asked] == ["bash(mkdir *)"]
    later = ScriptedUser(["deny"])
    async with opened(folder, script, user=later) as (runtime, _):
        await runtime.send("run")
    assert later.asked == []
    assert (folder / "ws" / "more").is_dir()


async def test_the_decision_is_stored_before_the_effect(folder: Path) -> None:
    async with opened(folder, EDIT) as (runtime, _heard):
        await runtime.send("edit")
        (call,) = [entry for entry in runtime.entries() if entry.kind == Kind.TOOL_CALL]
        decisions = runtime.decisions(call.tool_call_id)
        assert [(one.tool, one.decision, one.by) for one in decisions] == [("edit_file", "once", "person")]
        (result,) = [entry for entry in runtime.entries() if entry.kind == Kind.TOOL_RESULT]
        assert decisions[0].at < result.created_at


HANG = """
[[steps]]
text = "One moment. "
fault = { kind = "hang", after = 2 }
"""
LONG_COMMAND = """
[[steps]]
calls = [{ name = "bash", args = { command = "sleep 600" } }, { name = "read_file", args = { path = "a.txt" } }]
"""
ASKING = """
[[steps]]
calls = [{ name = "write_file", args = { path = "new.txt", content = "x" } }]
"""
THEN = """
[[steps]]
text = "Going on."
"""


@pytest.mark.parametrize(
    ("script", "moment"),
    [
        (HANG, lambda event: isinstance(event, events.TextDelta)),
        (LONG_COMMAND, lambda event: isinstance(event, events.ToolStarted)),
        (ASKING, lambda event: isinstance(event, events.ApprovalAsked)),
    ],
    ids=["streaming", "running", "asking"],
)
async def test_an_interruption_leaves_a_valid_history_and_a_usable_session(
    folder: Path, script: str, moment: object
) -> None:
    user = ScriptedUser(["wait"])
    mode = "auto" if script is LONG_COMMAND else "ask"
    async with opened(folder, script + THEN, user=user, permission_mode=mode) as (runtime, heard):
        sending = asyncio.ensure_future(runtime.send("go"))
        await heard.until(moment)  # type: ignore[arg-type]
        assert runtime.interrupt()
        result = await sending
        assert (result.subtype, result.exit_code) == ("interrupted", 130)
        assert not runtime.busy
        assert_valid(runtime)
        assert (await runtime.send("go on")).text == "Going on."
        assert_valid(runtime)
        closed = {event.id for event in heard.of(events.UserPortClosed)}
        assert closed == {event.id for event in heard.of(events.ApprovalAsked)}


def assert_valid(runtime: Runtime) -> None:
    """Every call has exactly one result, and no stage had to drop anything."""
    entries = runtime.entries()
    calls = [entry.tool_call_id for entry in entries if entry.kind == Kind.TOOL_CALL]
    results = [entry.tool_call_id for entry in entries if entry.kind == Kind.TOOL_RESULT]
    assert sorted(calls) == sorted(results)
    assert pair(render(entries)) == pair(pair(render(entries)))


async def test_the_last_call_withholds_tools_and_keeps_the_answer(folder: Path) -> None:
    script = """
    [[steps]]
    repeat = 2
    calls = [{ name = "list_dir", args = {} }]
    [[steps]]
    text = "This is how far I came."
    calls = [{ name = "list_dir", args = {} }]
    """
    async with opened(folder, script, max_turns=3) as (runtime, heard):
        result = await runtime.send("work")
        assert (result.subtype, result.text, result.model_calls) == ("budget", "This is how far I came.", 3)
        assert len(heard.of(events.ToolStarted)) == 2
        assert_valid(runtime)


async def test_an_unknown_tool_and_bad_arguments_are_answered_not_run(folder: Path) -> None:
    script = """
    [[steps]]
    calls = [
      { name = "rocket", args = { to = "moon" } },
      { name = "write_file", raw = '{"path": "x.txt", "content": "cut o' },
      { name = "write_file", args = { path = "y.txt" } },
    ]
    [[steps]]
    expect = { contains = "Truncation detected" }
    text = "I see."
    """
    async with opened(folder, script, permission_mode="auto") as (runtime, heard):
        result = await runtime.send("go")
        assert result.text == "I see."
        texts = [event.text for event in heard.of(events.ToolFinished)]
        assert "no tool named 'rocket'" in texts[0]
        assert "missing content" in texts[2]
    assert not (folder / "ws" / "x.txt").exists()


async def test_a_repeated_failing_call_is_pointed_out_and_then_stopped(folder: Path) -> None:
    script = """
    [[steps]]
    repeat = 0
    calls = [{ name = "read_file", args = { path = "gone.txt" } }]
    """
    async with opened(folder, script, user=ScriptedUser(answers=("Stop here",))) as (runtime, _):
        result = await runtime.send("go")
        assert (result.subtype, result.model_calls) == ("error", 4)
        assert [entry.tag for entry in runtime.entries() if entry.kind == Kind.NOTIFICATION] == ["tool_loop"]


async def test_steering_joins_at_the_next_model_call(folder: Path) -> None:
    script = """
    [[steps]]
    calls = [{ name = "read_file", args = { path = "a.txt" } }]
    [[steps]]
    expect = { last_user = "and b too" }
    text = "Both."
    """
    async with opened(folder, script) as (runtime, _heard):

        def steer(stamped: events.Stamped) -> None:
            if isinstance(stamped.event, events.ToolStarted):
                runtime.steer("and b too")

        runtime.subscribe(steer)
        assert (await runtime.send("read a")).text == "Both."
        assert runtime.queued() == ()


async def test_a_queued_message_runs_after_the_turn(folder: Path) -> None:
    script = """
    [[steps]]
    text = "First."
    [[steps]]
    expect = { last_user = "then this" }
    text = "Second."
    """
    async with opened(folder, script) as (runtime, _heard):

        def queue(stamped: events.Stamped) -> None:
            if isinstance(stamped.event, events.TurnStarted) and stamped.event.entry.content == "one":
                runtime.queue("then this")

        runtime.subscribe(queue)
        assert (await runtime.send("one")).text == "Second."


async def test_a_second_turn_at_the_same_time_is_refused(folder: Path) -> None:
    async with opened(folder, HANG) as (runtime, heard):
        sending = asyncio.ensure_future(runtime.send("one"))
        await heard.until(lambda event: isinstance(event, events.TextDelta))
        with pytest.raises(UsageError):
            await runtime.send("two")
        runtime.interrupt()
        await sending


async def test_compaction_keeps_the_last_words_and_the_originals(folder: Path) -> None:
    talk = "".join(f'[[steps]]\ntext = "Answer {number}."\n' for number in range(12))
    script = talk + '[[steps]]\nwhen = { system = "record of a working session" }\ntext = "SUMMARY OF IT ALL"\n'
    async with opened(folder, script + '[[steps]]\nexpect = { contains = "SUMMARY OF IT ALL" }\ntext = "Knows."\n') as (
        runtime,
        heard,
    ):
        for number in range(12):
            await runtime.send(f"question {number}")
        assert "Summarised" in await runtime.compact()
        (event,) = heard.of(events.Compacted)
        assert (event.trigger, event.strategy) == ("manual", "summary")
        assert event.messages_after < event.messages_before
        assert "question 0" in [entry.content for entry in runtime.entries()]
        assert (await runtime.send("still there?")).text == "Knows."
        assert "could not be summarised" in await runtime.compact()


async def test_sessions_open_fork_rename_and_leave_no_empty_ones(folder: Path) -> None:
    script = '[[steps]]\nrepeat = 0\ntext = "Yes."\n'
    async with opened(folder, script) as (runtime, _):
        first = runtime.session.id
        await runtime.send("hello there")
        runtime.new_session()
        assert runtime.entries() == []
        runtime.open_session(first)
        runtime.rename("Greeting")
        runtime.fork()
        assert [entry.content for entry in runtime.entries()] == ["hello there", "Yes."]
        assert len(runtime.sessions()) == 2
        assert {session.title for session in runtime.sessions()} == {"Greeting", "Greeting (copy)"}


async def test_nested_instructions_join_when_their_folder_is_touched(folder: Path) -> None:
    inner = folder / "ws" / "inner"
    inner.mkdir()
    (inner / "AGENTS.md").write_text("Inner rule.")
    (inner / "c.txt").write_text("c")
    script = """
    [[steps]]
    calls = [{ name = "read_file", args = { path = "inner/c.txt" } }]
    [[steps]]
    expect = { system = "Inner rule." }
    text = "Obeyed."
    """
    async with opened(folder, script, trust=True) as (runtime, heard):
        assert (await runtime.send("read")).text == "Obeyed."
        assert any("inner/AGENTS.md" in event.text for event in heard.of(events.Notice))


async def test_the_context_report_counts_what_the_trigger_counts(folder: Path) -> None:
    async with opened(folder, READ_TWO) as (runtime, heard):
        await runtime.send("look")
        report = runtime.context_report()
        parts = sum(item.tokens for item in report.items if item.category not in ("free", "response_reserve"))
        assert report.used == parts
        assert heard.of(events.ContextMeasured)[0].report.window == report.window


async def test_a_failing_provider_ends_the_turn_with_its_reason_on_record(folder: Path) -> None:
    script = '[[steps]]\nfault = { kind = "invalid_request", message = "model is on holiday" }\n' + THEN
    async with opened(folder, script) as (runtime, _):
        result = await runtime.send("go")
        assert (result.subtype, result.exit_code) == ("error", 1)
        assert "on holiday" in (result.error or "")
        assert runtime.entries()[-1].tag == "error"
        assert (await runtime.send("again")).text == "Going on."


def breaking(text: str, after: int) -> str:
    return f'[[steps]]\ntext = "{text}"\nfault = {{ kind = "incomplete", after = {after} }}\n'


async def test_a_stream_that_breaks_is_kept_marked_and_gone_on_with(folder: Path) -> None:
    script = breaking("Half of it is here already", 3) + '[[steps]]\ntext = "now, and the rest too."\n'
    async with opened(folder, script) as (runtime, heard):
        result = await runtime.send("go")
        kept, rest = [entry for entry in runtime.entries() if entry.kind == Kind.ASSISTANT]
        assert (kept.status, rest.status) == ("interrupted", "")
        assert kept.content.startswith("Half")
        assert result.subtype == "success"
        assert result.text == kept.content + rest.content
        assert "".join(event.text for event in heard.of(events.TextDelta)) == result.text
        (told,) = heard.of(events.Retrying)
        assert (told.resumed, told.kind, told.round, told.rounds) == (True, "incomplete", 2, 3)


async def test_a_model_that_starts_over_is_not_shown_twice(folder: Path) -> None:
    text = "Half of it is here already, and this is the rest."
    script = breaking(text, 3) + f'[[steps]]\ntext = "{text}"\n'
    async with opened(folder, script) as (runtime, heard):
        assert (await runtime.send("go")).text == text
        assert "".join(event.text for event in heard.of(events.TextDelta)) == text


async def test_what_was_complete_but_for_its_end_stays_the_answer(folder: Path) -> None:
    text = "All of it."
    script = breaking(text, 100) + f'[[steps]]\ntext = "{text}"\n' + THEN
    async with opened(folder, script) as (runtime, _):
        result = await runtime.send("go")
        assert (result.subtype, result.text, result.model_calls) == ("success", text, 2)


async def test_after_two_continuations_a_breaking_stream_ends_the_turn(folder: Path) -> None:
    script = breaking("one", 1) + breaking("two", 1) + breaking("three", 1) + THEN
    async with opened(folder, script) as (runtime, _):
        result = await runtime.send("go")
        assert result.subtype == "error"
        kept = [entry for entry in runtime.entries() if entry.kind == Kind.ASSISTANT]
        assert [(entry.content, entry.status) for entry in kept] == [
            (text, "interrupted") for text in ("one", "two", "three")
        ]


@pytest.mark.parametrize("command", ["", "sleep 600"], ids=["a silent model", "a long command"])
async def test_a_turn_whose_time_is_up_lands_with_what_there_is(folder: Path, command: str) -> None:
    first = (
        f'calls = [{{ name = "bash", args = {{ command = "{command}" }} }}]' if command else 'fault = { kind = "hang" }'
    )
    script = f'[[steps]]\n{first}\n[[steps]]\ntext = "Time is up."\n'
    async with opened(folder, script, max_seconds=0.5, permission_mode="auto") as (runtime, _):
        result = await runtime.send("go")
        assert (result.subtype, result.text, result.exit_code) == ("budget", "Time is up.", 1)
        assert_valid(runtime)
