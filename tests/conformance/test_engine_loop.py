"""The turn as three conversation engines do it, merged: behaviour by item, through the real runtime and a scripted model."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kram import events
from kram.agent import Hooks
from kram.agent.guards import (
    Exchanged,
    ExchangeGuard,
    NoticeModel,
    Ok,
    Stop,
    is_incomplete,
    is_tentative,
    looks_truncated,
)
from kram.base import UsageError
from kram.messages import Entry, Kind, ToolUseBlock, to_json
from kram.runtime import Runtime
from tests.support.opened import ScriptedUser, opened

LISTING = 'calls = [{ name = "list_dir", args = { path = "." } }]'
ENDLESS = f'end = "repeat"\n[[steps]]\n{LISTING}\n'


def limited(runtime: Runtime, **changes: Any) -> None:
    """The same house with other limits."""
    house = runtime._house
    house._bench = replace(house.bench, limits=msgspec.structs.replace(house.bench.limits, **changes))


def kinds(entries: Sequence[Entry]) -> list[str]:
    return [str(one.kind) for one in entries]


def calls_made(heard: Any) -> int:
    return len([one for one in heard.of(events.RouteStarted) if one.purpose == "turn"])


# --- records ------------------------------------------------------------------------------------------------------------


def test_a1_usage_is_absent_where_there_is_none() -> None:
    assert b'"usage"' not in to_json(Entry(id="e", kind=Kind.ASSISTANT, content="x"))


async def test_a3_entries_are_read_in_the_order_of_their_time(tmp_path: Path) -> None:
    async with opened(tmp_path, ENDLESS) as (runtime, _):
        limited(runtime, calls_per_segment=2, segments=1)
        await runtime.send("go")
        times = [(one.created_at, one.id) for one in runtime.entries()]
        assert [time for time, _ in times] == sorted(time for time, _ in times)


# --- the loop -----------------------------------------------------------------------------------------------------------


async def test_a4_a_tool_that_raises_is_a_result_and_the_turn_goes_on(tmp_path: Path) -> None:
    script = f'[[steps]]\n{LISTING.replace("list_dir", "read_file")}\n[[steps]]\ntext = "I see."\n'
    async with opened(tmp_path, script) as (runtime, _):
        result = await runtime.send("go")
        assert result.text == "I see."
        (failed,) = [one for one in runtime.entries() if one.kind == Kind.TOOL_RESULT]
        assert failed.is_error


async def test_a8_calls_are_stored_before_results(tmp_path: Path) -> None:
    two = LISTING.replace("}]", '}, { name = "list_dir", args = { path = "." } }]')
    async with opened(tmp_path, f'[[steps]]\n{two}\n[[steps]]\ntext = "Done."\n') as (runtime, _):
        await runtime.send("go")
        assert kinds(runtime.entries()) == ["user", "tool_call", "tool_call", "tool_result", "tool_result", "assistant"]


async def test_a9_what_waits_is_seen_in_one_call_and_what_comes_late_in_another(tmp_path: Path) -> None:
    async with opened(tmp_path, 'end = "repeat"\n[[steps]]\ntext = "Yes."\n') as (runtime, heard):
        for text in ("one", "two"):
            runtime.steer(text)
        await runtime.send("three")
        assert calls_made(heard) == 1
        late = runtime.subscribe(
            lambda stamped: (
                runtime.steer("late") and None
                if isinstance(stamped.event, events.AssistantSaid) and not runtime.queued() and calls_made(heard) == 2
                else None
            )
        )
        await runtime.send("four")
        late()
        assert calls_made(heard) == 3


async def test_a10_a_note_is_a_notification_of_the_next_call(tmp_path: Path) -> None:
    script = '[[steps]]\nexpect = { contains = "[nudge] resolve" }\ntext = "Resolved."\n'
    async with opened(tmp_path, script) as (runtime, _):
        runtime.note("resolve", "nudge")
        result = await runtime.send("go")
        assert result.text == "Resolved.", result.error


async def test_a11_strict_limits_name_their_number(tmp_path: Path) -> None:
    async with opened(tmp_path, ENDLESS) as (runtime, heard):
        limited(runtime, calls_per_segment=2, segments=1, strict=True)
        result = await runtime.send("go")
        assert "2" in (result.error or "")
        assert calls_made(heard) == 2


@pytest.mark.parametrize("called", [False, True])
async def test_a12_a_terminal_tool_that_was_never_called_is_named(tmp_path: Path, called: bool) -> None:
    async with opened(tmp_path, ENDLESS) as (runtime, _):
        limited(runtime, calls_per_segment=3, segments=1, strict=True, terminal_tool="list_dir" if called else "submit")
        result = await runtime.send("go")
        assert ("submit" in (result.error or "")) == (not called)


async def test_a13_a_host_adds_a_call_to_an_answer_without_one(tmp_path: Path) -> None:
    script = '[[steps]]\ntext = "Nothing to do."\n[[steps]]\ntext = "Shipped."\n'
    async with opened(tmp_path, script) as (runtime, heard):
        once: list[ToolUseBlock] = [ToolUseBlock(id="ship", name="list_dir", arguments='{"path": "."}')]

        def force(calls: Sequence[ToolUseBlock]) -> Sequence[ToolUseBlock]:
            return [*calls, *([once.pop()] if once else [])]

        runtime.set_hooks(Hooks(on_calls=force))
        result = await runtime.send("go")
        assert result.text == "Shipped."
        assert kinds(runtime.entries()) == ["user", "assistant", "tool_call", "tool_result", "assistant"]
        assert len(heard.of(events.ToolStarted)) == 1


async def test_a13_an_empty_list_is_no_call_at_all(tmp_path: Path) -> None:
    async with opened(tmp_path, f'[[steps]]\ntext = "Look, here."\n{LISTING}\n') as (runtime, heard):
        runtime.set_hooks(Hooks(on_calls=lambda calls: []))
        result = await runtime.send("go")
        assert (result.subtype, result.text) == ("success", "Look, here.")
        assert not heard.of(events.ToolStarted)


async def test_b33_a_look_at_every_round_counts_from_zero_and_may_fail(tmp_path: Path) -> None:
    seen: list[int] = []

    def look(number: int, messages: int) -> None:
        seen.append(number)
        raise RuntimeError("never mind")

    async with opened(tmp_path, f'[[steps]]\n{LISTING}\n[[steps]]\ntext = "Done."\n') as (runtime, _):
        runtime.set_hooks(Hooks(on_round=look))
        result = await runtime.send("go")
        assert (result.subtype, seen) == ("success", [0, 1])


async def test_a14_a15_usage_is_told_after_every_round_and_sums_up(tmp_path: Path) -> None:
    script = f"""
[[steps]]
{LISTING}
usage = {{ input = 1000, output = 50, cache_read = 900 }}
[[steps]]
text = "Done."
usage = {{ input = 1200, output = 70 }}
"""
    async with opened(tmp_path, script) as (runtime, heard):
        result = await runtime.send("go")
        told = heard.of(events.UsageChanged)
        assert told[-1].turn == result.usage
        assert (result.usage.input, result.usage.cache_read, result.usage.output) == (2200, 900, 120)
        assert result.usage.input - result.usage.cache_read == 1300
        assert result.usage.total == 2320


async def test_a16_the_entry_carries_what_its_round_used_or_nothing(tmp_path: Path) -> None:
    script = (
        '[[steps]]\ntext = "One."\nusage = { input = 1000, output = 42, cache_read = 900 }\n[[steps]]\ntext = "Two."\n'
    )
    async with opened(tmp_path, script) as (runtime, _):
        await runtime.send("go")
        await runtime.send("go")
        first, second = (one for one in runtime.entries() if one.kind == Kind.ASSISTANT)
        assert first.usage is not None
        assert (first.usage.input, first.usage.cache_read, first.usage.output) == (1000, 900, 42)
        assert second.usage is None


# --- guards -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "truncated", "incomplete"),
    [
        ("ok...", True, True),
        ("first,", True, True),
        ("x-", True, True),
        ("Done.", False, False),
        ("Sure thing", False, True),
        ("```python\nx = 1", True, True),
        ("It works 🎉", False, True),
        ("The following holds for all of the files in that folder now:", False, False),
        ("   ", False, True),
        ("", False, False),
        ("error: no such file", False, False),
    ],
)
def test_b12_answers_that_break_off(text: str, truncated: bool, incomplete: bool) -> None:
    assert (looks_truncated(text), is_incomplete(text)) == (truncated, incomplete)


def test_b13_announcements() -> None:
    assert is_tentative("Let me check the file.")
    assert not is_tentative("Let me " + "say it at length " * 10)
    assert not is_tentative("The answer is 4.")
    assert not is_tentative("")


async def test_b13_an_announcement_after_a_result_is_followed_up(tmp_path: Path) -> None:
    script = f'[[steps]]\n{LISTING}\n[[steps]]\ntext = "Let me check the file."\n[[steps]]\ntext = "It is empty."\n'
    async with opened(tmp_path, script) as (runtime, _):
        assert (await runtime.send("go")).text == "It is empty."


async def test_b13_without_a_result_an_announcement_is_an_answer(tmp_path: Path) -> None:
    async with opened(tmp_path, '[[steps]]\ntext = "Let me know what to do."\n') as (runtime, heard):
        assert (await runtime.send("go")).subtype == "success"
        assert calls_made(heard) == 1


async def test_b6_an_answer_that_breaks_off_is_asked_for_its_end_three_times_at_most(tmp_path: Path) -> None:
    async with opened(tmp_path, 'end = "repeat"\n[[steps]]\ntext = "First,"\n') as (runtime, heard):
        result = await runtime.send("go")
        assert (result.subtype, calls_made(heard)) == ("success", 4)


async def test_b6_an_empty_answer_and_then_one(tmp_path: Path) -> None:
    async with opened(tmp_path, '[[steps]]\ntext = "  "\n[[steps]]\ntext = "ok, here you are."\n') as (runtime, _):
        assert (await runtime.send("go")).text == "ok, here you are."
        # Nothing was shown yet, so the gateway asks once more before the loop would.
        assert sum(len(route.attempts) for route in runtime.routes()) == 2


async def test_a38_the_same_exchange_is_pointed_out_and_then_the_person_is_asked(tmp_path: Path) -> None:
    user = ScriptedUser(answers=("Stop here",))
    async with opened(tmp_path, ENDLESS, user=user) as (runtime, heard):
        result = await runtime.send("go")
        assert calls_made(heard) == 10
        assert "repeated" in (result.error or "")
        assert len(user.questions) == 1
        (notice,) = [one for one in runtime.entries() if one.tag == "tool_loop"]
        assert "list_dir" in notice.content


async def test_a38_keep_going_is_an_answer(tmp_path: Path) -> None:
    user = ScriptedUser(answers=("Keep going", "Stop here"))
    async with opened(tmp_path, ENDLESS, user=user) as (runtime, heard):
        await runtime.send("go")
        assert len(user.questions) == 2
        assert calls_made(heard) == 20


def test_a38_a_cycle_of_two_counts_like_one_call() -> None:
    guard = ExchangeGuard()
    rounds = [Exchanged(tool=name, arguments="{}", result="same") for name in ("look", "list")]
    verdicts = [guard.judge([rounds[number % 2]]) for number in range(40)]
    first_notice = next(place for place, one in enumerate(verdicts) if isinstance(one, NoticeModel))
    first_stop = next(place for place, one in enumerate(verdicts) if isinstance(one, Stop))
    assert (first_notice + 1, first_stop + 1) == (10, 20)


def test_a38_changing_results_are_no_loop() -> None:
    guard = ExchangeGuard()
    for number in range(40):
        assert isinstance(guard.judge([Exchanged(tool="look", arguments="{}", result=str(number))]), Ok)


# --- the inbox ----------------------------------------------------------------------------------------------------------


async def test_b24_a_whisper_is_in_the_first_request_of_the_next_turn_and_nowhere_else(tmp_path: Path) -> None:
    script = f"""
[[steps]]
expect = {{ contains = "in a low voice" }}
{LISTING}
[[steps]]
text = "Done."
"""
    async with opened(tmp_path, script) as (runtime, _):
        runtime.whisper("in a low voice")
        result = await runtime.send("go")
        assert result.subtype == "success", result.error
        assert "low voice" not in str([one.content for one in runtime.entries()])
        assert "low voice" not in str(runtime.inspect().request)


async def test_b25_one_message_is_kept_for_the_moment_the_model_is_done(tmp_path: Path) -> None:
    script = '[[steps]]\ntext = "Done."\n[[steps]]\nexpect = { last_user = "one more" }\ntext = "Done again."\n'
    async with opened(tmp_path, script) as (runtime, heard):
        assert runtime.inject("one more thing")
        assert not runtime.inject("too much")
        result = await runtime.send("go")
        assert (result.text, calls_made(heard)) == ("Done again.", 2)
        assert [one.content for one in runtime.entries() if one.kind == Kind.USER] == ["go", "one more thing"]


async def test_b26_while_paused_nothing_begins_and_nothing_is_stored(tmp_path: Path) -> None:
    async with opened(tmp_path, '[[steps]]\ntext = "Here."\n') as (runtime, _):
        runtime.pause()
        with pytest.raises(UsageError, match="paused"):
            await runtime.send("go")
        assert not runtime.entries()
        runtime.resume()
        assert (await runtime.send("go")).text == "Here."


async def test_a28_the_end_of_a_background_process_is_told_with_the_next_call(tmp_path: Path) -> None:
    script = """
[[steps]]
calls = [{ name = "run_background", args = { command = "echo over; exit 3" } }]
[[steps]]
calls = [{ name = "process_output", args = { id = "bg1", wait_seconds = 5 } }]
[[steps]]
expect = { contains = "bg1 ended with exit code 3" }
text = "I heard."
"""
    async with opened(tmp_path, script, permission_mode="auto") as (runtime, heard):
        async with asyncio.timeout(30):
            result = await runtime.send("go")
        await heard.until(lambda event: isinstance(event, events.ProcessChanged) and event.state == "failed")
        if result.subtype != "success":
            # It may have ended only now; the next call is told.
            result = await runtime.send("and now?")
        assert result.text == "I heard.", result.error


# --- results ------------------------------------------------------------------------------------------------------------


async def test_what_a_turn_has_no_room_for_is_kept_whole_beside_it(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "big.txt").write_text("a line of thirty characters..\n" * 400)
    reading = 'calls = [{ name = "read_file", args = { path = "big.txt" } }]'
    script = f'[[steps]]\n{reading}\n[[steps]]\n{reading}\n[[steps]]\ntext = "Read."\n'
    async with opened(tmp_path, script) as (runtime, _):
        limited(runtime, output_chars=20_000)
        await runtime.send("go")
        first, second = (one for one in runtime.entries() if one.kind == Kind.TOOL_RESULT)
        assert "artifact_read" not in first.content
        assert "no room left" in second.content
        name = second.content.rpartition("id ")[2].partition(".")[0]
        assert runtime.artifact_text(name, 0, 100).strip()
