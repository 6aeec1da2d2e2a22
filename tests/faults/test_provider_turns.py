"""Providers' faults as a whole turn meets them: P01, P05 to P08, P13 to P15, P19, P23 and P24 over a real runtime.

What is on record, what the person was told and shown, what ran, and that every request was one its vendor takes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kram import events
from kram.messages import Kind
from tests.support.byte_server import FIN, HOLD, RST, Script, Step, answer, event, head, sse
from tests.support.opened import ScriptedUser
from tests.support.pair import KEY, broken, good, pieces
from tests.support.pair_runtime import desk
from tests.support.swift import skip

ALONE = ("a/m",)
WRITE = ("bash", {"command": "echo ran >> effects.log"})
TEXT = "I write it down now.\nOne moment.\n"


def refusal(status: int, message: str = "no", **headers: str) -> Script:
    return [answer({"error": {"message": message, "type": "some_error"}}, status=status, **headers)]


async def test_p01_a_turn_that_has_no_key_says_what_to_do(tmp_path: Path) -> None:
    async with desk(tmp_path, refusal(401, f"Incorrect API key {KEY['a']}"), candidates=ALONE) as world:
        result = await world.runtime.send("hi")
        assert (result.subtype, result.exit_code) == ("error", 4)
        assert "kram --setup" in (result.error or "")
        assert KEY["a"] not in repr(world.heard.events)
        assert KEY["a"] not in repr(world.runtime.entries())


async def test_p05_what_is_sent_again_runs_nothing_again(tmp_path: Path) -> None:
    scripts = [good("", calls=[WRITE]), refusal(409), refusal(409), good("done")]
    async with desk(tmp_path, scripts, candidates=ALONE) as world:
        result = await world.runtime.send("go")
        assert (result.subtype, result.text) == ("success", "done")
        assert (world.workspace / "effects.log").read_text() == "ran\n"
        assert len(world.entries(Kind.TOOL_RESULT)) == 1
        world.check_requests()


async def test_p06_a_refused_request_is_kept_for_a_report_without_secrets(tmp_path: Path) -> None:
    secret = "sk-ant-" + "k3y" * 12
    scripts = [
        good("", calls=[("read_file", {"path": "notes.txt"})]),
        refusal(400, "messages.2: bad block"),
        good("fine"),
    ]
    async with desk(tmp_path, scripts, candidates=ALONE) as world:
        (world.workspace / "notes.txt").write_text(f"key is {secret}\nand {KEY['a']}\nblue heron\n")
        result = await world.runtime.send("read my notes")
        assert result.subtype == "error"
        assert "bad block" in (result.error or "")
        (path,) = (tmp_path / "home" / "state" / "refused").iterdir()
        assert path.stat().st_mode & 0o077 == 0
        kept = json.loads(path.read_text())
        assert (kept["model"], kept["status"]) == ("a/m", 400)
        assert "bad block" in kept["refusal"]
        assert kept["body"]["messages"][-1]["role"] == "tool"
        assert "blue heron" in path.read_text()
        assert secret not in path.read_text()
        assert KEY["a"] not in path.read_text()
        assert any(str(path) in notice.text for notice in world.heard.of(events.Notice))
        assert (await world.runtime.send("again")).text == "fine", "a wrong request is no outage"


async def test_p06_only_the_newest_refusals_are_kept(tmp_path: Path) -> None:
    async with desk(tmp_path, refusal(422), candidates=ALONE) as world:
        for number in range(23):
            await world.runtime.send(f"question {number}")
            await world.clock.sleep(1)
        kept = sorted((tmp_path / "home" / "state" / "refused").iterdir())
        assert len(kept) == 20
        assert "question 22" in kept[-1].read_text()


@pytest.mark.parametrize(
    "refused",
    [refusal(413, "request too large"), refusal(400, "This model's maximum context length is 8192 tokens")],
    ids=["413", "400"],
)
async def test_p07_a_prompt_that_is_too_long_is_folded_once_and_sent_once_more(tmp_path: Path, refused: Script) -> None:
    def respond_with(state: dict[str, int]) -> Any:
        def respond(request: Any) -> Script:
            body = request.json()
            if not body.get("tools"):
                state["summaries"] += 1
                return good("Goal: talk about herons. Done: much was said of them.")
            state["calls"] += 1
            if state["refusing"]:
                state["refusing"] -= 1
                return refused
            return good("an answer")

        return respond

    state = {"summaries": 0, "calls": 0, "refusing": 0}
    async with desk(tmp_path, respond_with(state), candidates=ALONE) as world:
        for number in range(8):
            await world.runtime.send(f"question {number} " + "heron " * 300)
        state |= {"refusing": 1, "calls": 0, "summaries": 0}
        result = await world.runtime.send("and now?")
        assert (result.subtype, result.text) == ("success", "an answer")
        assert (state["calls"], state["summaries"], result.compactions) == (2, 1, 1)
        assert world.heard.of(events.Compacted)[-1].trigger == "reactive"
        state |= {"refusing": 9, "calls": 0}
        result = await world.runtime.send("and now?")
        assert result.subtype == "error"
        assert state["calls"] == 2
        assert "does not fit" in (result.error or "")
        world.check_requests()


async def test_p08_the_wait_is_told_as_it_begins(tmp_path: Path) -> None:
    async with desk(tmp_path, [refusal(429, "slow down", Retry_After="7"), good()], candidates=ALONE) as world:
        assert (await world.runtime.send("hi")).text == "from a"
        (told,) = world.heard.of(events.Retrying)
        assert 7.0 <= told.delay_s <= 7.7
        assert (told.candidate, told.kind, told.http_status, told.resumed) == ("a/m", "rate_limit", 429, False)
        outcomes = [one.attempt.outcome for one in world.heard.of(events.RouteAttempted)]
        assert outcomes == ["trying", "error", "trying", "streaming", "success"]


# --- P13 to P15: breaking in the middle ---------------------------------------------------------------------------------

ENDS: dict[str, list[Step]] = {"p13 reset": [skip(0), RST], "p14 closed": [FIN], "p15 stalled": [skip(31), HOLD]}


@pytest.mark.parametrize("end", ENDS)
async def test_p13_p14_p15_wherever_it_breaks_text_is_shown_once_and_calls_run_once(tmp_path: Path, end: str) -> None:
    for after in range(1, len(pieces(TEXT, calls=[WRITE]))):
        folder = tmp_path / str(after)
        folder.mkdir()
        scripts = [broken(TEXT, ENDS[end], after=after, calls=[WRITE]), good("done")]
        async with desk(folder, scripts, [good(TEXT, "b", [WRITE]), good("done", "b")]) as world:
            result = await world.runtime.send("go")
            assert (result.subtype, result.text) == ("success", "done"), (after, result.error)
            assert world.shown() == TEXT + "done"
            assert (world.workspace / "effects.log").read_text() == "ran\n"
            said = world.entries(Kind.ASSISTANT)
            kept = [entry for entry in said if entry.status == "interrupted"]
            assert "".join(entry.content for entry in said) == TEXT + "done"
            assert len(kept) <= 1
            resumed = [told for told in world.heard.of(events.Retrying) if told.resumed]
            assert len(kept) == len(resumed)
            assert all(entry.model == "a/m" for entry in kept)
            world.check_requests()


async def test_p13_the_next_one_reads_what_came_and_is_asked_to_go_on(tmp_path: Path) -> None:
    scripts = [broken(TEXT, [skip(0), RST], after=2)]
    async with desk(tmp_path, scripts, good("One moment.\nAll is well.", "b")) as world:
        result = await world.runtime.send("go")
        assert result.text == TEXT + "All is well." == world.shown()
        first, second = world.a.requests[0].json(), world.b.requests[0].json()
        *_, person, partial, reminder = second["messages"]
        assert "go" in json.dumps(person)
        assert partial["role"] == "assistant"
        assert "I write it down now." in json.dumps(partial)
        assert "Go on exactly where" in json.dumps(reminder)
        assert "Go on exactly where" not in json.dumps([first, *(one.content for one in world.runtime.entries())])
        (told,) = world.heard.of(events.Retrying)
        assert (told.resumed, told.candidate, told.kind) == (True, "a/m", "incomplete")


async def test_p13_two_continuations_and_then_the_turn_ends_with_what_came(tmp_path: Path) -> None:
    async with desk(
        tmp_path, broken("half\nmore\n", FIN, after=2), broken("half\nmore\n", FIN, after=3, name="b")
    ) as world:
        result = await world.runtime.send("go")
        assert result.subtype == "error"
        assert len(world.a.requests) + len(world.b.requests) == 3
        kept = world.entries(Kind.ASSISTANT)
        assert {entry.status for entry in kept} == {"interrupted"}
        assert "".join(entry.content for entry in kept) == world.shown() == "half\nmore\n"
        assert world.runtime.entries()[-1].tag == "error"


async def test_p13_what_no_try_can_mend_ends_the_turn_at_once(tmp_path: Path) -> None:
    refused = event({"error": {"message": "your credit is used up", "type": "authentication_error"}})
    async with desk(tmp_path, [head(), *pieces(TEXT)[:2], refused, FIN], candidates=ALONE) as world:
        result = await world.runtime.send("go")
        assert (result.subtype, len(world.a.requests)) == ("error", 1)
        assert "credit" in (result.error or "")
        assert world.entries(Kind.ASSISTANT)[0].status == "interrupted"


async def test_p13_thinking_that_breaks_off_is_kept_and_thought_again(tmp_path: Path) -> None:
    thought = good("Here.", thinking="First a plan.")
    (whole,) = thought
    assert isinstance(whole, bytes)
    parts = [part + b"\n\n" for part in whole.split(b"\r\n\r\n", 1)[1].split(b"\n\n") if part]
    async with desk(tmp_path, [[head(), *parts[:2], FIN], thought], candidates=ALONE) as world:
        result = await world.runtime.send("go")
        assert result.text == "Here." == world.shown()
        assert [entry.status for entry in world.entries(Kind.ASSISTANT)] == ["interrupted", ""]
        assert "Go on exactly where" not in json.dumps(world.a.requests[-1].json()), "there is nothing to go on from"


async def test_p19_a_login_page_never_reaches_the_history(tmp_path: Path) -> None:
    page = answer(b"<html><title>Hotel</title>Please pay</html>", content_type="text/html")
    async with desk(tmp_path, [[page], [page], [page], good()], candidates=ALONE) as world:
        result = await world.runtime.send("hi")
        assert "not the API" in (result.error or "")
        await world.clock.sleep(40)
        assert (await world.runtime.send("again")).text == "from a"
        assert "Please pay" not in json.dumps(world.a.requests[-1].json())


# --- P23, P24: calls ----------------------------------------------------------------------------------------------------


def called(*deltas: dict[str, Any], finish: str = "tool_calls") -> Script:
    """A chat stream whose events carry these pieces of calls."""
    events = [{"choices": [{"index": 0, "delta": {"tool_calls": [delta]}}]} for delta in deltas]
    end = [{"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}]
    return [sse(*events, *end, done=True)]


def part(arguments: str, *, index: int | None = 0, name: str = "", call_id: str = "") -> dict[str, Any]:
    made: dict[str, Any] = {"function": {"arguments": arguments} | ({"name": name} if name else {})}
    if index is not None:
        made["index"] = index
    return made | ({"id": call_id} if call_id else {})


LIST = '{"path": "."}'
HUGE = json.dumps({"path": "big.txt", "content": "x" * 5_000_000})

CALLS: dict[str, tuple[Script, int, int]] = {
    "invalid arguments": (called(part('{"path": [[', name="read_file", call_id="c1")), 1, 0),
    "unknown tool": (called(part("{}", name="fly_away", call_id="c1")), 1, 0),
    "missing id": (called(part(LIST, name="list_dir")), 1, 1),
    "duplicate id": (
        called(
            part(LIST, name="list_dir", call_id="c1"),
            part(LIST, index=1, name="list_dir", call_id="c1"),
        ),
        2,
        2,
    ),
    "index gaps": (
        called(
            part(LIST, index=7, name="list_dir", call_id="c1"),
            part(LIST, index=3, name="list_dir", call_id="c2"),
        ),
        2,
        2,
    ),
    "byte by byte": (
        called(part("", name="list_dir", call_id="c1"), *(part(char) for char in LIST)),
        1,
        1,
    ),
    "five megabytes": (
        called(
            part("", name="write_file", call_id="c1"),
            *(part(HUGE[at : at + 500_000]) for at in range(0, len(HUGE), 500_000)),
        ),
        1,
        1,
    ),
    "two hundred": (
        called(*(part(LIST, index=at, name="list_dir", call_id=f"c{at}") for at in range(200))),
        200,
        200,
    ),
}


@pytest.mark.parametrize("case", CALLS)
async def test_p23_calls_of_every_kind_leave_a_history_that_every_vendor_takes(tmp_path: Path, case: str) -> None:
    script, made, fine = CALLS[case]
    async with desk(tmp_path, [script, good("done"), good("more")], candidates=ALONE) as world:
        (world.workspace / "a.txt").write_text("x\n")
        result = await world.runtime.send("go")
        assert (result.subtype, result.text) == ("success", "done"), result.error
        calls, results = world.entries(Kind.TOOL_CALL), world.entries(Kind.TOOL_RESULT)
        assert len(calls) == len(results) == made
        assert len({call.tool_call_id for call in calls}) == made
        assert sum(not one.is_error for one in results) == fine
        assert all(one.content.strip() for one in results if one.is_error), "the model is told what was wrong"
        await world.runtime.send("more")
        world.check_requests()


async def test_p24_a_model_that_loops_on_a_failing_call_is_stopped_with_a_note(tmp_path: Path) -> None:
    loop = good("", calls=[("read_file", {"path": "missing.txt"})])
    async with desk(tmp_path, loop, candidates=ALONE, user=ScriptedUser(answers=[None])) as world:
        result = await world.runtime.send("go")
        assert result.subtype == "error"
        assert len(world.a.requests) == 4
        assert "repeated the same read_file call 4 times" in (result.error or "")
        assert next(entry.tag for entry in world.entries(Kind.NOTIFICATION)) == "tool_loop"
        world.check_requests()
