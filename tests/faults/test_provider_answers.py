"""P13 to P22 and P27: answers that begin and go wrong, over real sockets. Time is skipped, not waited for.

For every row: the named outcome, what is shown, and how the breaker stands afterwards.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import random
import zlib
from collections.abc import Callable
from typing import Any

import pytest

from kram.gateway import AllFailed, Resumed
from kram.messages import ToolUseBlock
from kram.providers import ContentRejected, Incomplete, ProviderError, ServerFailed, TimedOut
from tests.support.byte_server import CHUNKED, FIN, HOLD, RST, Script, Step, answer, chunk, event, head, sse
from tests.support.pair import Asked, Pair, broken, good, pair, pieces
from tests.support.swift import PatientClock, settle, skip

ALONE = ("a/m",)
TEXT = "one\ntwo\nthree\nfour"
CALL = ("write_file", {"path": "a.txt", "content": "x" * 40})


async def going_on(world: Pair, asked: Asked) -> Asked:
    """What the agent does when a stream breaks: the call goes on where the last one broke."""
    return await world.ask(resumed=asked.call.resumed())


# --- P13, P14: breaking in the middle -----------------------------------------------------------------------------------


@pytest.mark.parametrize("end", [[settle, RST], [FIN]], ids=["p13 reset", "p14 closed"])
@pytest.mark.parametrize("after", range(len(pieces(TEXT, calls=[CALL])) + 1))
async def test_p13_p14_wherever_a_stream_breaks_nothing_is_lost_doubled_or_half_run(end: list[Any], after: int) -> None:
    steps: list[Step] = [skip(0) if step is settle else step for step in end]
    async with pair(broken(TEXT, steps, after=after, calls=[CALL]), good(TEXT, "b", [CALL])) as world:
        first = await world.ask()
        if first.error is None:
            assert first.call.accumulator.completion().finished
            shown, calls = first.text, first.call.accumulator.completion()
        else:
            assert isinstance(first.error, ProviderError)
            assert first.error.kind in ("incomplete", "network")
            assert not first.call.accumulator.completion().finished
            second = await going_on(world, first)
            assert second.error is None
            assert second.call.winner is not None
            assert second.call.winner.name == "b/m", "the other candidate comes first now"
            shown, calls = first.text + second.text, second.call.accumulator.completion()
        assert shown == TEXT
        made = [block for block in calls.content if isinstance(block, ToolUseBlock)]
        assert [(call.name, json.loads(call.arguments)) for call in made] == [CALL]


async def test_p13_a_model_that_goes_on_instead_of_starting_over_is_joined_as_it_is() -> None:
    async with pair(broken(TEXT, FIN, after=3), good("three\nfour", "b")) as world:
        first = await world.ask()
        second = await going_on(world, first)
        assert (first.text, second.text) == ("one\ntwo\n", "three\nfour")


async def test_p13_nothing_left_to_say_is_an_answer_when_going_on() -> None:
    empty = [answer_sse(stop="stop")]
    async with pair([broken(TEXT, FIN, after=5), empty], candidates=ALONE) as world:
        first = await world.ask()
        assert isinstance(first.error, ProviderError)
        second = await going_on(world, first)
        assert (second.error, second.text) == (None, "")


async def test_p14_the_breaker_counts_a_stream_without_its_end() -> None:
    async with pair(broken(TEXT, FIN, after=3), candidates=ALONE) as world:
        asked = await world.ask()
        assert isinstance(asked.error, Incomplete)
        assert asked.outcomes == [("a", "error", "incomplete")]
        for _ in range(2):
            await world.ask()
        assert world.breaker("a").state == "open"


async def test_p13_only_what_is_left_of_the_time_is_used() -> None:
    async with pair(good("late"), candidates=ALONE) as world:
        spent = Resumed(began_s=world.clock.monotonic() - 700, said="what came")
        asked = await world.ask(resumed=spent)
        assert isinstance(asked.error, AllFailed)
        assert "time" in str(asked.error)


# --- P15, P16: stalls and drips -----------------------------------------------------------------------------------------


async def test_p15_without_a_first_byte_for_a_minute_the_next_one_is_asked() -> None:
    async with pair([skip(59), skip(2), HOLD]) as world:
        asked = await world.ask()
        assert asked.text == "from b"
        assert asked.outcomes[0] == ("a", "error", "timeout")
        assert "60 s" in asked.call.route.attempts[0].reason


async def test_p15_pings_are_no_answer() -> None:
    ping = b": still here\n\n"
    async with pair([head(), ping, skip(25), ping, skip(25), event({"type": "ping"}, "ping"), skip(15), HOLD]) as world:
        assert (await world.ask()).outcomes[0] == ("a", "error", "timeout")


@pytest.mark.parametrize("after", [2, 3, 4])
async def test_p15_a_stall_in_the_middle_ends_after_half_a_minute_and_is_gone_on_with(after: int) -> None:
    stalled: list[Step] = [skip(29), skip(2), HOLD]
    async with pair(broken(TEXT, stalled, after=after), good(TEXT, "b")) as world:
        first = await world.ask()
        assert isinstance(first.error, TimedOut)
        assert "30 s" in str(first.error)
        second = await going_on(world, first)
        assert first.text + second.text == TEXT
        assert world.breaker("a").state == "closed"


async def test_p15_slow_is_not_stalled() -> None:
    slow: list[Step] = [head()]
    for part in pieces(TEXT):
        slow += [part, skip(29)]
    async with pair([*slow, FIN], candidates=ALONE) as world:
        asked = await world.ask()
        assert (asked.text, asked.error) == (TEXT, None)


async def test_p16_a_byte_a_second_arrives_whole() -> None:
    body = b"".join(pieces("slow"))
    drip: list[Step] = [head()]
    for at in range(len(body)):
        drip += [body[at : at + 1], skip(1)]
    async with pair([*drip, FIN], candidates=ALONE) as world:
        asked = await world.ask()
        assert (asked.text, asked.error) == ("slow", None)


async def test_p16_a_drip_can_be_stopped_and_its_connection_goes_with_it() -> None:
    async with pair([head(), *pieces(TEXT)[:3], HOLD], candidates=ALONE, clock=PatientClock()) as world:
        asking = asyncio.create_task(world.ask())
        await world.a.until(requests=1)
        while not any(one.outcome == "streaming" for one in world.heard.attempts):
            await asyncio.sleep(0)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await world.a.until(closed=1)
        assert world.heard.told()[-1] == ("a", "cancelled", "cancelled")
        assert world.breaker("a").state == "closed"


# --- P17, P18: what an event stream may look like -----------------------------------------------------------------------

BODY = b"".join(pieces("héllo\nwörld"))


def cut(body: bytes, seed: int) -> list[Step]:
    rng, parts = random.Random(seed), []
    while body:
        size = rng.randint(1, 40)
        parts.append(body[:size])
        body = body[size:]
    return [step for part in parts for step in (part, skip(0))]


SHAPES: dict[str, Callable[[], list[Step]]] = {
    "crlf": lambda: [BODY.replace(b"\n", b"\r\n")],
    "cr": lambda: [BODY.replace(b"\n", b"\r")],
    "comments": lambda: [b": hello\n\n" + BODY.replace(b"\n\n", b"\n\n: and again\n\n")],
    "bom": lambda: [b"\xef\xbb\xbf" + BODY],
    "no space": lambda: [BODY.replace(b"data: ", b"data:")],
    "several data lines": lambda: [BODY.replace(b'data: {"id"', b'data: {\ndata: "id"')],
    "ids and retries": lambda: [b"id: 1\nretry: 10\n\n" + BODY.replace(b"data: {", b"id: 7\ndata: {")],
    "without data": lambda: [b"event: nothing\n\n" + BODY],
    "unknown event": lambda: [b'event: novelty\ndata: {"new": 1}\n\n' + BODY],
    "no blank line at the end": lambda: [BODY.rstrip(b"\n")],
    "torn": lambda: cut(BODY, 1),
    "torn crlf": lambda: cut(BODY.replace(b"\n", b"\r\n"), 2),
    "byte by byte": lambda: [step for at in range(len(BODY)) for step in (BODY[at : at + 1], skip(0))],
}


@pytest.mark.parametrize("shape", SHAPES)
async def test_p17_every_shape_of_an_event_stream(shape: str) -> None:
    async with pair([head(), *SHAPES[shape](), FIN], candidates=ALONE) as world:
        asked = await world.ask()
        assert (asked.text, asked.error) == ("héllo\nwörld", None)


async def test_p17_an_endless_line_is_refused() -> None:
    async with pair([head(), b"data: " + b"x" * 10_000_000, FIN]) as world:
        asked = await world.ask()
        assert asked.text == "from b"
        assert asked.outcomes[0] == ("a", "error", "server_error")


@pytest.mark.parametrize(
    ("bad", "kind", "word"),
    [
        (event('{"choices": [{'), "server_error", "JSON"),
        (event({"error": {"message": "overloaded just now", "code": 529}}), "server_error", "overloaded just now"),
        (event({"error": {"message": "slow down", "type": "rate_limit_error"}}), "rate_limit", "slow down"),
    ],
    ids=["malformed", "error object", "rate limit"],
)
@pytest.mark.parametrize("after", [0, 3], ids=["at once", "after text"])
async def test_p18_an_event_that_is_none_fails_the_attempt_with_its_words(
    bad: bytes, kind: str, word: str, after: int
) -> None:
    async with pair([head(), *pieces(TEXT)[:after], bad, *pieces(TEXT)[after:], FIN], good(TEXT, "b")) as world:
        first = await world.ask()
        (failed, *_) = first.call.route.attempts
        assert (failed.outcome, failed.kind) == ("error", kind)
        assert word in failed.reason
        shown = first.text
        if first.error is not None:
            shown += (await going_on(world, first)).text
        assert shown == TEXT
        assert world.breaker("a").allowed is (kind != "rate_limit")


# --- P19 to P22: bodies that are not what they should be ----------------------------------------------------------------

PAGE = b"<!doctype html><html><head><title>Hotel Wi-Fi</title></head><body>Please log in</body></html>"


@pytest.mark.parametrize("kind", ["text/html", "text/event-stream", "application/json"])
async def test_p19_p21_a_web_page_is_not_the_api(kind: str) -> None:
    async with pair([answer(PAGE, content_type=kind)], candidates=ALONE) as world:
        asked = await world.ask()
        assert isinstance(asked.error, AllFailed)
        assert isinstance(asked.error.failures[-1], ServerFailed)
        assert "not the API" in str(asked.error)
        assert "Please log in" not in str(asked.error)
        assert asked.text == ""
        assert world.breaker("a").state == "open"


def answer_sse(*deltas: dict[str, Any], stop: str = "") -> bytes:
    """A chat stream of these deltas, with its end where `stop` is given."""
    events: list[dict[str, Any]] = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    if stop:
        events.append({"choices": [{"index": 0, "delta": {}, "finish_reason": stop}]})
    return sse(*events, done=True)


EMPTY: dict[str, Script] = {
    "truncated json": [answer(b'{"choices": [{"message": {"content": "hal')],
    "empty body": [answer(b"", content_type="text/event-stream")],
    "empty choices": [answer({"choices": []})],
    "null content": [answer({"choices": [{"message": {"content": None}, "finish_reason": "stop"}]})],
    "null content, streamed": [answer_sse({"content": None}, stop="stop")],
    "finish without content": [answer_sse(stop="stop")],
    "blanks only": [answer_sse({"content": "  \n"}, stop="stop")],
    "never beginning": [answer_sse(*([{"content": ""}, {"content": "\n"}] * 20), stop="stop")],
    "no choices in any event": [sse({"id": "x"}, {"id": "x"}, done=True)],
}


@pytest.mark.parametrize("case", EMPTY)
async def test_p20_an_answer_that_is_none_is_asked_for_once_more_and_then_named(case: str) -> None:
    async with pair(EMPTY[case], candidates=ALONE) as world:
        asked = await world.ask()
        assert isinstance(asked.error, AllFailed), asked.text
        assert len(world.a.requests) == 2
        assert isinstance(asked.error.failures[-1], ContentRejected | Incomplete)
        assert asked.text == ""
        assert {one[1] for one in asked.outcomes} <= {"error", "rejected"}
    async with pair([EMPTY[case], good()], candidates=ALONE) as world:
        assert (await world.ask()).text == "from a"
    async with pair(EMPTY[case]) as world:
        assert (await world.ask()).text == "from b"


WHOLE = {"choices": [{"message": {"role": "assistant", "content": "all at once"}, "finish_reason": "stop"}]}


@pytest.mark.parametrize("kind", ["application/json", "text/plain", "text/html", "text/event-stream", ""])
async def test_p21_a_right_body_with_a_wrong_label_counts(kind: str) -> None:
    async with pair([answer(WHOLE, content_type=kind)], candidates=ALONE) as world:
        assert (await world.ask()).text == "all at once"
    async with pair([answer(BODY, content_type=kind)], candidates=ALONE) as world:
        assert (await world.ask()).text == "héllo\nwörld"


@pytest.mark.parametrize("body", [b"OK", b"3", b'"yes"', b"\x00\x01\x02\xff" * 50, b"event: nothing\n\n"])
async def test_p21_a_wrong_body_with_the_right_label_is_an_attempt_that_failed(body: bytes) -> None:
    async with pair([answer(body, content_type="text/event-stream")]) as world:
        asked = await world.ask()
        assert asked.text == "from b"
        assert asked.outcomes[0][1] == "error"


def deflated(data: bytes) -> bytes:
    return zlib.compress(data)


@pytest.mark.parametrize(("name", "pack"), [("gzip", gzip.compress), ("deflate", deflated)])
async def test_p22_compressed_answers_are_read_though_nobody_asked_for_them(
    name: str, pack: Callable[[bytes], bytes]
) -> None:
    packed = answer(pack(BODY), content_type="text/event-stream", Content_Encoding=name)
    async with pair([packed], candidates=ALONE) as world:
        assert (await world.ask()).text == "héllo\nwörld"


BOMB = gzip.compress(b"data: " + b"x" * 40_000_000 + b"\n\n")
ODD: dict[str, Script] = {
    "an unknown compression": [answer(random.Random(1).randbytes(400), Content_Encoding="br")],
    "broken gzip": [answer(gzip.compress(BODY)[:40] + b"garbage" * 9, Content_Encoding="gzip")],
    "a bomb": [answer(BOMB, content_type="text/event-stream", Content_Encoding="gzip")],
    "a bomb of blanks": [answer(gzip.compress(b"\n" * 300_000_000), Content_Encoding="gzip")],
    "a length that is too long": [head(Content_Length="99999"), *pieces(TEXT)[:1], FIN],
    "broken chunks": [CHUNKED, b"zz\r\nnot a chunk", FIN],
    "a chunked body without its end": [CHUNKED, chunk(pieces(TEXT)[0]), FIN],
}


@pytest.mark.parametrize("case", ODD)
async def test_p22_what_cannot_be_unpacked_is_refused(case: str) -> None:
    async with pair(ODD[case]) as world:
        asked = await world.ask()
        assert asked.text == "from b"
        assert asked.outcomes[0][1] == "error"


async def test_p22_after_the_last_event_a_wrong_length_does_no_harm() -> None:
    for script in ([head(Content_Length="99999"), BODY, FIN], [CHUNKED, chunk(BODY), FIN]):
        async with pair(script, candidates=ALONE) as world:
            assert (await world.ask()).text == "héllo\nwörld"


async def test_p22_trailers_are_passed_over() -> None:
    script: Script = [CHUNKED, chunk(BODY), b"0\r\nX-Checksum: 12\r\n\r\n"]
    async with pair([script, good()], candidates=ALONE) as world:
        assert (await world.ask()).text == "héllo\nwörld"
        assert (await world.ask()).text == "from a"


# --- P27 ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {},
        {"prompt_tokens": -5, "completion_tokens": -1},
        {"prompt_tokens": 10**30, "completion_tokens": 10**30},
        {"prompt_tokens": "many", "completion_tokens": None},
        {"prompt_tokens": 1.5e300, "completion_tokens": []},
        {"prompt_tokens": True, "completion_tokens": {"a": 1}},
        "none of your business",
    ],
    ids=["missing", "empty", "negative", "huge", "words", "floats", "odd types", "text"],
)
async def test_p27_a_report_that_cannot_be_true_makes_the_cost_unknown(usage: Any) -> None:
    body = WHOLE | ({} if usage is None else {"usage": usage})
    streamed = sse(
        {"choices": [{"index": 0, "delta": {"content": "x"}, "finish_reason": "stop"}]},
        {"choices": [], "usage": usage},
        done=True,
    )
    for script in ([answer(body)], [streamed]):
        async with pair(script, candidates=ALONE) as world:
            asked = await world.ask()
            assert asked.error is None
            assert asked.call.route.usage.cost_usd is None
            assert asked.call.route.usage.total >= 0
            assert world.gateway.telemetry.of("a/m").cost_usd is None


async def test_p27_a_true_report_has_its_price() -> None:
    async with pair(good(), candidates=ALONE) as world:
        asked = await world.ask()
        assert asked.call.route.usage.cost_usd == pytest.approx((125 * 1.0 + 30 * 2.0) / 1e6)
