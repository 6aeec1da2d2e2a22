"""Priority order, fallback before the first word, rounds, and the record of it all."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator

import pytest

from kram.config import Combo, Gate, Model, Price, Provider, Roster
from kram.gateway import AllFailed, Gateway, NoCandidate, Observer, Rounds, Waiting, cost_usd
from kram.messages import (
    Attempt,
    CompletionRequest,
    ImageBlock,
    Message,
    MessageDelta,
    MessageStopped,
    StreamEvent,
    TextDelta,
    ToolSpec,
    Usage,
    user_text,
)
from kram.providers import AuthFailed, ContextOverflow, Incomplete, ProviderError, RateLimited, ServerFailed

ASK = CompletionRequest(messages=(user_text("hi"),))


class ManualClock:
    """Time that passes only by sleeping."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def now_ns(self) -> int:
        return int(self.now * 1e9)

    def monotonic(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


class Plays:
    """A provider whose every call plays the next script: events and errors in order."""

    def __init__(self, *scripts: list[StreamEvent | ProviderError]) -> None:
        self.scripts = list(scripts)
        self.calls = 0
        self.closed = 0

    async def stream(self, request: CompletionRequest, model: Model) -> AsyncIterator[StreamEvent]:
        script = self.scripts[min(self.calls, len(self.scripts) - 1)]
        self.calls += 1
        try:
            for step in script:
                if isinstance(step, ProviderError):
                    raise step
                yield step
        finally:
            self.closed += 1

    complete = stream


def said(text: str) -> list[StreamEvent | ProviderError]:
    return [TextDelta(text=text), MessageDelta(stop_reason="end_turn", input=10, output=2), MessageStopped()]


class Notes(Observer):
    def __init__(self) -> None:
        self.attempts: list[Attempt] = []
        self.waits: list[Waiting] = []

    def attempted(self, route_id: str, attempt: Attempt) -> None:
        self.attempts.append(attempt)

    def waiting(self, waiting: Waiting) -> None:
        self.waits.append(waiting)


def gateway(clock: ManualClock | None = None, **providers: Plays) -> Gateway:
    configs = {name: Provider(name=name, kind="script", models=(Model(provider=name, id="m"),)) for name in providers}
    roster = Roster(providers=configs, combos={})
    rounds = Rounds(jitter=0.0)
    return Gateway(
        roster, lambda config: providers[config.name], clock or ManualClock(), rounds=rounds, rng=random.Random(1)
    )


def combo(*names: str, gate: Gate | None = None) -> Combo:
    return Combo(name="c", candidates=tuple(f"{name}/m" for name in names), gate=gate or Gate())


async def text_of(gate: Gateway, which: Combo, observer: Observer | None = None) -> tuple[str, object]:
    call = gate.call(ASK, which, observer=observer)
    async for _ in call:
        pass
    return call.accumulator.text, call


async def test_the_first_candidate_answers_and_the_route_says_so() -> None:
    text, call = await text_of(gateway(a=Plays(said("one")), b=Plays(said("two"))), combo("a", "b"))
    assert text == "one"
    assert call.route.winner == "a/m"
    assert [attempt.outcome for attempt in call.route.attempts] == ["success"]
    assert call.route.usage.input == 10


async def test_a_failure_before_the_first_word_goes_to_the_next_candidate() -> None:
    a, b = Plays([ServerFailed("down", status=503)]), Plays(said("two"))
    notes = Notes()
    text, call = await text_of(gateway(a=a, b=b), combo("a", "b"), notes)
    assert text == "two"
    assert [(one.provider, one.outcome, one.kind) for one in call.route.attempts] == [
        ("a", "error", "server_error"),
        ("b", "success", ""),
    ]
    assert [one.outcome for one in notes.attempts] == ["trying", "error", "trying", "streaming", "success"]


async def test_blank_text_does_not_commit() -> None:
    a = Plays([TextDelta(text="  \n"), ServerFailed("late")])
    text, _ = await text_of(gateway(a=a, b=Plays(said("two"))), combo("a", "b"))
    assert text == "two"


async def test_after_the_first_word_a_failure_reaches_the_caller_and_nobody_else_is_tried() -> None:
    a, b = Plays([TextDelta(text="half"), Incomplete("broke off")]), Plays(said("two"))
    call = gateway(a=a, b=b).call(ASK, combo("a", "b"))
    with pytest.raises(Incomplete):
        async for _ in call:
            pass
    assert call.accumulator.text == "half"
    assert b.calls == 0
    assert call.route.attempts[0].outcome == "error"


async def test_a_stream_that_just_ends_is_a_failure() -> None:
    text, call = await text_of(gateway(a=Plays([]), b=Plays(said("two"))), combo("a", "b"))
    assert text == "two"
    assert call.route.attempts[0].kind == "incomplete"


async def test_an_empty_answer_is_rejected_unless_the_gate_takes_it() -> None:
    empty = [MessageDelta(stop_reason="end_turn"), MessageStopped()]
    text, call = await text_of(gateway(a=Plays(empty), b=Plays(said("two"))), combo("a", "b"))
    assert text == "two"
    assert call.route.attempts[0].outcome == "rejected"
    text, _ = await text_of(gateway(a=Plays(empty)), combo("a", gate=Gate(reject_empty=False)))
    assert text == ""


async def test_a_missing_end_is_a_failure_even_after_text() -> None:
    call = gateway(a=Plays([TextDelta(text="half")])).call(ASK, combo("a"))
    with pytest.raises(Incomplete):
        async for _ in call:
            pass


async def test_rounds_wait_and_double_and_honour_what_the_provider_asks() -> None:
    clock, notes = ManualClock(), Notes()
    a = Plays([ServerFailed("x")], [RateLimited("slow down", retry_after_s=7)], said("at last"))
    text, call = await text_of(gateway(clock, a=a), combo("a"), notes)
    assert text == "at last"
    assert clock.slept == [0.5, 7]
    assert [(wait.round, wait.rounds) for wait in notes.waits] == [(2, 3), (3, 3)]
    assert [attempt.round for attempt in call.route.attempts] == [1, 2, 3]


async def test_what_cannot_help_is_not_repeated() -> None:
    a = Plays([AuthFailed("no key", status=401)])
    with pytest.raises(AllFailed) as failure:
        await text_of(gateway(a=a), combo("a"))
    assert a.calls == 1
    assert failure.value.exit_code == 4
    assert "no key" in str(failure.value)


async def test_an_overflow_is_told_as_one() -> None:
    with pytest.raises(AllFailed) as failure:
        await text_of(gateway(a=Plays([ContextOverflow("prompt is too long", status=400)])), combo("a"))
    assert failure.value.overflow


async def test_constraints_leave_candidates_out_with_a_reason() -> None:
    plain = Provider(name="a", kind="script", models=(Model(provider="a", id="m", tools=False),))
    gate = Gateway(Roster(providers={"a": plain}, combos={}), lambda _: Plays(said("x")), ManualClock())
    tool = ToolSpec(name="t", description="", parameters={"type": "object"})
    picture = Message(role="user", content=(ImageBlock(data="AA=="),))
    for request, word in (
        (CompletionRequest(messages=(), tools=(tool,)), "tools"),
        (CompletionRequest(messages=(picture,)), "images"),
    ):
        with pytest.raises(NoCandidate) as failure:
            async for _ in gate.call(request, combo("a", "gone")):
                pass
        assert word in str(failure.value)
        assert failure.value.exit_code == 4


async def test_closing_early_closes_the_provider_and_records_the_cancellation() -> None:
    a = Plays([TextDelta(text="one"), TextDelta(text="two"), *said("three")])
    call = gateway(a=a).call(ASK, combo("a"))
    events = call.__aiter__()
    await anext(events)
    await events.aclose()
    assert a.closed == 1
    assert call.route.attempts[0].outcome == "cancelled"


def test_cost_counts_cached_tokens_at_their_price() -> None:
    model = Model(provider="p", id="m", price=Price(input=3.0, output=15.0, cache_read=0.3, cache_write=3.75))
    usage = Usage(input=1_000_000, output=100_000, cache_read=500_000, cache_write=100_000)
    assert cost_usd(model, usage) == pytest.approx(0.4 * 3 + 0.5 * 0.3 + 0.1 * 3.75 + 1.5)


@pytest.mark.parametrize("usage", [Usage(), Usage(input=-5, output=-1)])
def test_cost_of_what_was_not_reported_is_unknown_or_nothing(usage: Usage) -> None:
    model = Model(provider="p", id="m", price=Price(input=3.0, output=15.0))
    assert cost_usd(model, usage) in (None, 0.0)
    assert cost_usd(Model(provider="p", id="m"), Usage(input=5, output=5)) is None
