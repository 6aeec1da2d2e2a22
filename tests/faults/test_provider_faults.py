"""P01 to P12, P25 and P26: what a provider refuses or does not answer at all, over real sockets.

For every row: the named outcome, what the person is told of, and how the breaker stands afterwards.
"""

from __future__ import annotations

import asyncio
from email.utils import formatdate

import msgspec
import pytest

from kram.gateway import AllFailed, NoCandidate
from kram.providers import ContextOverflow, TlsFailed
from tests.support.byte_server import HOLD, RST, ByteServer, Script, answer
from tests.support.pair import KEY, Pair, good, pair
from tests.support.swift import START_S, PatientClock, pass_time, settle

ALONE = ("a/m",)


def refusal(status: int, message: str = "no", **headers: str) -> Script:
    return [answer({"error": {"message": message, "type": "some_error"}}, status=status, **headers)]


async def test_p01_a_refused_key_is_not_tried_again_and_its_account_rests() -> None:
    async with pair(refusal(401, f"bad key {KEY['a']}"), candidates=("a/m", "a/other", "b/m")) as world:
        asked = await world.ask()
        assert asked.text == "from b"
        assert asked.outcomes[0] == ("a", "error", "auth")
        assert world.breaker("a").blocked
        assert world.breaker("a").state == "closed", "it is no outage"
        assert world.breaker("a", "other").blocked, "the same key opens no other model"
        again = await world.ask()
        assert [one[0] for one in again.outcomes] == ["b"]
        assert KEY["a"] not in repr(world.heard.attempts)


async def test_p01_alone_it_asks_for_another_key_and_a_new_one_is_tried_at_once() -> None:
    async with pair([refusal(401), refusal(401), good()], candidates=ALONE) as world:
        for _ in range(2):
            asked = await world.ask()
            assert isinstance(asked.error, AllFailed)
            assert asked.error.exit_code == 4
            assert "key" in asked.error.todo
        assert len(world.a.requests) == 2, "a person who sends again is given a try, and only one"
        roster = world.gateway.roster
        changed = msgspec.structs.replace(roster.providers["a"], api_key="sk-another-key-987654")
        world.gateway.roster = msgspec.structs.replace(roster, providers={**roster.providers, "a": changed})
        assert not world.breaker("a", "other").blocked


async def test_p02_what_a_key_may_not_use_is_no_outage_of_other_models() -> None:
    async with pair(refusal(403, "not in your plan"), candidates=("a/m", "b/m")) as world:
        asked = await world.ask()
        assert asked.text == "from b"
        (first, _) = asked.call.route.attempts
        assert (first.kind, first.http_status) == ("auth", 403)
        assert "not in your plan" in first.reason
        assert len(world.a.requests) == 1
        assert world.breaker("a").blocked
        assert world.breaker("a", "other").allowed


async def test_p03_a_missing_model_is_out_of_reach_and_the_next_one_answers() -> None:
    async with pair(refusal(404, "The model `m` does not exist"), candidates=("a/m", "b/m")) as world:
        asked = await world.ask()
        assert asked.text == "from b"
        assert asked.outcomes[0] == ("a", "error", "model_missing")
        assert (world.breaker("a").blocked, world.breaker("a").state) == (True, "closed")
        assert world.breaker("a", "other").allowed
        await world.ask()
        assert len(world.a.requests) == 1


@pytest.mark.parametrize(
    ("row", "status", "kind"), [("P04", 408, "timeout"), ("P05", 409, "server_error")], ids=["p04", "p05"]
)
async def test_p04_p05_what_may_pass_is_tried_three_times_at_most(row: str, status: int, kind: str) -> None:
    async with pair(refusal(status), candidates=ALONE) as world:
        asked = await world.ask()
        assert isinstance(asked.error, AllFailed)
        assert asked.outcomes == [("a", "error", kind)] * 3
        assert len(world.clock.slept) == 2
        assert world.breaker("a").state == "open"
    async with pair([refusal(status), good()], candidates=ALONE) as world:
        asked = await world.ask()
        assert asked.text == "from a"
        (wait,) = world.heard.waits
        assert (wait.candidate, wait.kind, wait.http_status, wait.round) == ("a/m", kind, status, 2)
        assert world.breaker("a").state == "closed"


@pytest.mark.parametrize("status", [400, 422])
async def test_p06_a_wrong_request_is_sent_once_and_its_refusal_told(status: int) -> None:
    async with pair(refusal(status, "messages.1: bad role"), candidates=ALONE) as world:
        asked = await world.ask()
        assert len(world.a.requests) == 1
        assert isinstance(asked.error, AllFailed)
        assert "bad role" in str(asked.error)
        assert asked.outcomes == [("a", "error", "invalid_request")]
        assert world.breaker("a") == type(world.breaker("a"))(state="closed", allowed=True)


async def test_p06_it_is_not_repeated_while_another_candidate_is_tried_again() -> None:
    async with pair(refusal(400), [refusal(503), good("from b", "b")]) as world:
        asked = await world.ask()
        assert asked.text == "from b"
        assert asked.outcomes == [
            ("a", "error", "invalid_request"),
            ("b", "error", "server_error"),
            ("b", "success", ""),
        ]


@pytest.mark.parametrize(
    "script",
    [
        refusal(413, "too large"),
        refusal(400, "This model's maximum context length is 8192 tokens"),
        refusal(422, "prompt is too long: 9000 tokens"),
    ],
    ids=["413", "openai", "anthropic"],
)
async def test_p07_a_prompt_that_is_too_long_is_told_as_one(script: Script) -> None:
    async with pair(script, refusal(503)) as world:
        asked = await world.ask()
        assert isinstance(asked.error, AllFailed)
        assert asked.error.overflow, "also where the other one is down: folding may help the first"
        assert any(isinstance(one, ContextOverflow) for one in asked.error.failures)
        assert len(world.a.requests) == 1
        assert world.breaker("a").state == "closed"


async def test_p07_the_word_max_tokens_alone_is_no_overflow() -> None:
    async with pair(refusal(400, "Unsupported parameter: 'max_tokens'"), candidates=ALONE) as world:
        asked = await world.ask()
        assert isinstance(asked.error, AllFailed)
        assert not asked.error.overflow


# --- P08, P09: being asked to wait --------------------------------------------------------------------------------------


async def test_p08_a_wait_that_is_asked_for_is_kept_and_shown() -> None:
    async with pair([refusal(429, "slow down", Retry_After="7"), good()], candidates=ALONE) as world:
        asked = await world.ask()
        assert asked.text == "from a"
        (wait,) = world.heard.waits
        assert 7.0 <= wait.delay_s <= 7.7
        assert world.clock.slept == [wait.delay_s]
        assert (wait.candidate, wait.kind, wait.http_status) == ("a/m", "rate_limit", 429)
        assert world.breaker("a").state == "closed"


async def test_p08_another_candidate_need_not_wait_and_the_limited_one_rests() -> None:
    async with pair(refusal(429, "slow down", Retry_After="7")) as world:
        asked = await world.ask()
        assert asked.text == "from b"
        assert world.clock.slept == []
        view = world.breaker("a")
        assert (view.state, view.allowed) == ("closed", False)
        assert "rate limited" in view.reason
        await world.ask()
        assert len(world.a.requests) == 1, "nobody asks it again before its time"


async def test_p08_a_limit_is_of_one_model() -> None:
    async with pair(refusal(429, Retry_After="7")) as world:
        await world.ask()
        assert world.breaker("a", "other").allowed


async def test_p08_the_stop_key_ends_the_wait_at_once_and_nothing_is_sent() -> None:
    async with pair(refusal(429, Retry_After="7"), candidates=ALONE, clock=PatientClock()) as world:
        asking = asyncio.create_task(world.ask())
        await world.a.until(requests=1)
        while not world.heard.waits:
            await asyncio.sleep(0)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert len(world.a.requests) == 1


@pytest.mark.parametrize("asked_s", ["121", "999999"])
async def test_p08_p09_beyond_two_minutes_the_next_one_is_tried_or_the_call_fails_at_once(asked_s: str) -> None:
    async with pair(refusal(429, Retry_After=asked_s)) as world:
        assert (await world.ask()).text == "from b"
    async with pair(refusal(429, "quota", Retry_After=asked_s), candidates=ALONE) as world:
        asked = await world.ask()
        assert isinstance(asked.error, AllFailed)
        assert "asks to wait" in str(asked.error)
        assert world.clock.slept == []
        again = await world.ask()
        assert isinstance(again.error, NoCandidate)
        assert len(world.a.requests) == 1


NOW_S = START_S


@pytest.mark.parametrize(
    ("headers", "low", "high"),
    [
        ({"Retry_After": formatdate(NOW_S + 9, usegmt=True), "Date": formatdate(NOW_S, usegmt=True)}, 9.0, 9.9),
        ({"Retry_After": formatdate(NOW_S - 900, usegmt=True), "Date": formatdate(NOW_S, usegmt=True)}, 0.45, 0.55),
        ({"Retry_After": "soon"}, 0.45, 5.5),
        ({"Retry_After": "-5"}, 0.45, 5.5),
        ({"Retry_After": "30", "retry_after_ms": "2500"}, 2.5, 2.75),
        ({"x_ms_retry_after_ms": "3000"}, 3.0, 3.3),
        ({"Retry_After": "0"}, 0.45, 0.55),
    ],
    ids=["a date", "a date in the past", "garbage", "negative", "both forms", "azure", "none"],
)
async def test_p09_every_way_of_saying_how_long(headers: dict[str, str], low: float, high: float) -> None:
    async with pair([refusal(429, **headers), good()], candidates=ALONE) as world:
        asked = await world.ask()
        assert asked.text == "from a"
        assert low <= sum(world.clock.slept) <= high


# --- P10 to P12: servers that fail --------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [500, 502, 503, 504, 529])
async def test_p10_a_failing_server_is_given_three_tries_with_doubling_waits(status: int) -> None:
    async with pair(refusal(status), candidates=ALONE) as world:
        asked = await world.ask()
        assert isinstance(asked.error, AllFailed)
        assert asked.outcomes == [("a", "error", "server_error")] * 3
        first, second = world.clock.slept
        assert (first, second) == (pytest.approx(0.5, rel=0.11), pytest.approx(1.0, rel=0.11))
        assert [(wait.round, wait.rounds) for wait in world.heard.waits] == [(2, 3), (3, 3)]
        assert (world.breaker("a").state, world.breaker("a").allowed) == ("open", False)
    async with pair(refusal(status)) as world:
        assert (await world.ask()).text == "from b"
        assert world.clock.slept == [], "failing over takes no wait"


async def test_p10_one_budget_of_time_holds_over_rounds_attempts_and_waits() -> None:
    slow = refusal(503, Retry_After="110")
    async with pair(slow, candidates=ALONE) as world:
        world.gateway.rounds = msgspec.structs.replace(world.gateway.rounds, rounds=50, budget_s=300.0)
        began_s = world.clock.monotonic()
        asked = await world.ask()
        assert isinstance(asked.error, AllFailed)
        assert world.clock.monotonic() - began_s <= 300
        assert len(world.a.requests) == 3


async def closed_port() -> str:
    server = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    server.close()
    await server.wait_closed()
    return f"http://127.0.0.1:{port}"


@pytest.mark.parametrize("where", ["closed port", "no such name"])
async def test_p11_nobody_there_is_tried_again_and_counted(where: str) -> None:
    url = await closed_port() if where == "closed port" else "http://kram-test.invalid"
    async with pair(good(), candidates=ALONE, base_url=f"{url}/v1") as world:
        asked = await world.ask()
        assert isinstance(asked.error, AllFailed)
        assert asked.outcomes == [("a", "error", "network")] * 3
        assert world.breaker("a").state == "open"
        assert "annot connect" in str(asked.error)


async def test_p11_a_broken_handshake_is_not_repeated_and_never_done_without() -> None:
    """A server that speaks no TLS at all; what makes a certificate bad is the TLS library's business."""
    heard: list[bytes] = []

    async def blunt(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.read(65536))
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(blunt, "127.0.0.1", 0)
    url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    async with server, pair(good(), base_url=url) as world:
        asked = await world.ask()
        assert asked.text == "from b"
        assert asked.outcomes[0] == ("a", "error", "network")
    server = await asyncio.start_server(blunt, "127.0.0.1", 0)
    url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    async with server, pair(good(), candidates=ALONE, base_url=url) as world:
        asked = await world.ask()
        assert isinstance(asked.error, AllFailed)
        assert isinstance(asked.error.failures[0], TlsFailed)
    assert len(heard) == 2
    assert not any(KEY["a"].encode() in said for said in heard), "nothing was ever sent in the clear"


async def test_p12_a_reset_before_the_answer_is_tried_again() -> None:
    async with pair([[RST], good()], candidates=ALONE) as world:
        asked = await world.ask()
        assert asked.text == "from a"
        assert asked.outcomes == [("a", "error", "network"), ("a", "success", "")]
        assert world.breaker("a").state == "closed"


# --- P25: breakers ------------------------------------------------------------------------------------------------------


async def opened(world: Pair) -> None:
    """`a` has failed three times and rests; `b` answered meanwhile."""
    for _ in range(3):
        await world.ask()
    assert world.breaker("a").state == "open"


async def test_p25_after_its_rest_one_real_trial_and_no_storm() -> None:
    sick = [refusal(503)] * 3
    async with pair([*sick, [*good("well again")]]) as world:
        await opened(world)
        await world.ask()
        assert len(world.a.requests) == 3, "while it rests nobody asks it"
        await pass_time(31)
        for _ in range(20):
            world.breaker("a")
        answers = await asyncio.gather(*(world.ask() for _ in range(10)))
        assert sorted(asked.text for asked in answers) == ["from b"] * 9 + ["well again"]
        assert len(world.a.requests) == 4
        trial = next(one for one in world.heard.attempts if one.trial)
        assert (trial.provider, trial.outcome) == ("a", "trying")
        assert world.breaker("a").state == "closed"


async def test_p25_a_failed_trial_rests_twice_as_long_and_one_that_says_nothing_frees_its_place() -> None:
    async with pair([*([refusal(503)] * 4), refusal(400), good("well again")]) as world:
        await opened(world)
        await pass_time(31)
        await world.ask()
        await pass_time(58)
        assert world.breaker("a").state == "open"
        await pass_time(3)
        assert (await world.ask()).outcomes[0] == ("a", "error", "invalid_request")
        assert (world.breaker("a").state, world.breaker("a").allowed) == ("half-open", True)
        assert (await world.ask()).text == "well again"


async def test_p25_both_down_waits_for_the_first_to_come_back_and_says_so() -> None:
    sick = [refusal(503)] * 3
    async with pair([*sick, good("well again")], [*sick, refusal(503)]) as world:
        failed = await world.ask()
        assert isinstance(failed.error, AllFailed)
        assert (world.breaker("a").state, world.breaker("b").state) == ("open", "open")
        asked = await world.ask()
        assert asked.text == "well again"
        assert "a/m is resting" in world.heard.waits[-1].reason
        assert world.heard.waits[-1].candidate == "a/m"


async def test_p25_who_comes_while_the_only_trial_runs_waits_for_its_end() -> None:
    async with pair([*([refusal(503)] * 3), good("one"), good("two")], candidates=ALONE) as world:
        await world.ask()
        await pass_time(31)
        answers = await asyncio.gather(world.ask(), world.ask())
        assert {asked.text for asked in answers} == {"one", "two"}
        assert world.breaker("a").state == "closed"


async def test_p25_a_slow_one_loses_only_its_own_calls() -> None:
    silent: Script = [HOLD]
    async with pair(silent, clock=PatientClock()) as world:
        asking = asyncio.create_task(world.ask())
        await world.a.until(requests=1)
        await settle()
        await pass_time(61)
        asked = await asking
        assert asked.outcomes == [("a", "error", "timeout"), ("b", "success", "")]


# --- P26 ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_p26_a_redirect_to_another_host_never_takes_the_key_along(status: int) -> None:
    async with ByteServer(good("stolen")) as thief:
        location = f"http://localhost:{thief.port}/v1/chat/completions"
        async with pair([answer(b"", status=status, Location=location)]) as world:
            asked = await world.ask()
            assert asked.text == "from b"
            assert thief.requests == []
            assert asked.outcomes[0] == ("a", "error", "invalid_request")
            assert world.breaker("a").state == "closed"
