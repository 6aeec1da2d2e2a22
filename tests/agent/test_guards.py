"""Guards: repetition while streaming, repeated exchanges, unfinished answers, rounds and budgets."""

from __future__ import annotations

import pytest

from kram.agent.guards import (
    Exchanged,
    ExchangeGuard,
    FinishGuard,
    GuardResult,
    NoticeModel,
    Ok,
    Reprompt,
    RoundGuard,
    Stop,
)
from kram.agent.guards.repetition import Repeated, RepetitionGuard, trimmed
from kram.agent.limits import Limits, Tally
from kram.messages import Completion, Route, TextBlock, Usage


def fed(text: str, piece: int = 17, **options: int) -> tuple[Repeated | None, int]:
    guard = RepetitionGuard("content", **options)
    for start in range(0, len(text), piece):
        if hit := guard.feed(text[start : start + piece]):
            return hit, start + piece
    return None, len(text)


BLOCK = "I will now look at the next file to see what it does and then continue with the plan. "


@pytest.mark.parametrize("piece", [1, 17, 300, 5000])
def test_a_repeated_block_is_found_with_its_period(piece: int) -> None:
    hit, _ = fed(BLOCK * 200, piece)
    assert hit is not None
    assert hit.period == len(BLOCK)
    assert hit.copies * hit.period <= 4096
    assert hit.trailing == (hit.copies - 1) * hit.period


@pytest.mark.parametrize(
    "text",
    [
        "\n" * 4000,
        "|---|---|---|\n" * 300,
        "\t" * 5000,
        "".join(f"row {number}: some text that is the same\n" for number in range(400)),
        "".join(
            f"def test_case_{number}() -> None:\n    assert run({number}) == {number}\n\n" for number in range(200)
        ),
        "ab" * 4000,
    ],
    ids=["newlines", "table rules", "tabs", "numbered rows", "boilerplate", "short cycle"],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert fed(text)[0] is None


def test_limits_can_be_lowered() -> None:
    assert fed("ab" * 4000, min_period=2, min_span=64)[0] is not None


def test_trimming_keeps_one_copy() -> None:
    text = "start " + "日本語のブロックがくりかえされる。" * 60
    hit, seen = fed(text, 40)
    assert hit is not None
    kept = trimmed(text[:seen], hit)
    assert kept.startswith("start ")
    assert len(kept) < len(text)


def exchange(result: str = "same", *, is_error: bool = False, running: bool = False) -> list[Exchanged]:
    return [Exchanged(tool="t", arguments="{}", result=result, is_error=is_error, still_running=running)]


def judged(*rounds: list[Exchanged]) -> list[GuardResult]:
    guard = ExchangeGuard()
    return [guard.judge(one) for one in rounds]


def test_the_same_success_is_pointed_out_at_five_and_stopped_at_ten() -> None:
    results = judged(*[exchange()] * 10)
    assert [number for number, one in enumerate(results, 1) if isinstance(one, NoticeModel)] == [5]
    assert isinstance(results[9], Stop)
    assert all(isinstance(one, Ok) for number, one in enumerate(results, 1) if number not in (5, 10))


def test_the_same_failure_is_pointed_out_at_three_and_stopped_at_four() -> None:
    results = judged(*[exchange(is_error=True)] * 4)
    assert isinstance(results[2], NoticeModel)
    assert isinstance(results[3], Stop)


def test_changing_results_and_running_processes_are_no_loop() -> None:
    assert all(isinstance(one, Ok) for one in judged(*[exchange(str(number)) for number in range(20)]))
    assert all(isinstance(one, Ok) for one in judged(*[exchange(running=True)] * 20))


def said(text: str, stop: str = "end_turn", **fields: str) -> Completion:
    return Completion(content=(TextBlock(text=text),) if text else (), stop_reason=stop, **fields)


def test_a_blank_answer_is_asked_for_again_and_then_given_up() -> None:
    guard = FinishGuard()
    results = [guard.judge(said("  ")) for _ in range(4)]
    assert [type(one) for one in results] == [Reprompt, Reprompt, Reprompt, Stop]
    assert isinstance(guard.judge(said("ok")), Ok)


def test_an_answer_cut_by_the_output_limit_is_continued_while_the_budget_lasts() -> None:
    guard = FinishGuard()
    results = [guard.judge(said("half", "max_tokens")) for _ in range(4)]
    assert [type(one) for one in results] == [Reprompt, Reprompt, Reprompt, Ok]
    guard.reset()
    assert isinstance(guard.judge(said("half", "max_tokens")), Reprompt)


def test_a_refusal_is_an_end_not_a_reason_to_insist() -> None:
    assert isinstance(FinishGuard().judge(said("", "refusal", refusal="I cannot")), Stop)
    assert isinstance(FinishGuard().judge(said("No.", "refusal")), Ok)


def test_the_last_call_of_the_last_segment_is_final_and_then_there_is_none() -> None:
    guard, tally = RoundGuard(Limits(calls_per_segment=2, segments=2)), Tally(0.0)
    rounds = [guard.next(tally, 0.0) for _ in range(5)]
    assert [(one.segment, one.final) for one in rounds if one] == [(1, False), (0, False), (2, False), (0, True)]
    assert rounds[4] is None


@pytest.mark.parametrize(
    ("limits", "usage", "now"),
    [
        (Limits(max_tokens=100), Usage(input=90, output=20), 0.0),
        (Limits(max_cost_usd=0.5), Usage(input=1, cost_usd=0.6), 0.0),
        (Limits(max_seconds=10), Usage(), 11.0),
    ],
    ids=["tokens", "cost", "seconds"],
)
def test_a_used_up_budget_makes_the_next_call_the_last(limits: Limits, usage: Usage, now: float) -> None:
    guard, tally = RoundGuard(limits), Tally(0.0)
    first = guard.next(tally, 0.0)
    assert first is not None
    assert not first.final
    tally.add_route(Route(id="r", usage=usage))
    second = guard.next(tally, now)
    assert second is not None
    assert second.final
    assert guard.next(tally, now) is None


def test_the_model_is_told_once_when_a_budget_is_nearly_used() -> None:
    guard, tally = RoundGuard(Limits(max_tokens=100)), Tally(0.0)
    tally.add_route(Route(id="r", usage=Usage(input=85)))
    rounds = [guard.next(tally, 0.0) for _ in range(2)]
    assert [one.near for one in rounds if one] == [True, False]
