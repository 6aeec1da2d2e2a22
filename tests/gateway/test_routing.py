"""Strategies, scores and breakers as tables of behaviour."""

from __future__ import annotations

import random

import pytest

from kram.base import UsageError
from kram.config import Combo, ComboOptions, Model, Price, Provider, Roster
from kram.gateway import STRATEGIES, Breaker, Gateway, Measured, strategy_named
from kram.gateway.affinity import Memory, affine_choice, affinity_key, fnv1a_64
from kram.gateway.candidates import Candidate
from kram.gateway.scoring import PRESETS, Scored, score, weights
from kram.gateway.strategies import Field
from kram.messages import CompletionRequest, user_text
from kram.providers import AuthFailed, InvalidRequest, ModelMissing, RateLimited, ServerFailed
from tests.gateway.test_gateway import ManualClock, Plays, combo, gateway, said, text_of

DOWN = ServerFailed("down", status=503)


def scored(name: str, position: int = 0, **fields: object) -> Scored:
    return Scored(name=name, state="closed", measured=Measured(), position=position, **fields)


def field(strategy: str, *candidates: Scored, memory: Memory | None = None, **fields: object) -> Field:
    defaults: dict[str, object] = {"run_key": "run", "affine": "", "rng": random.Random(1)}
    options = fields.pop("options", ComboOptions(exploration=0.0))
    return Field(
        combo=Combo(name="c", candidates=(), strategy=strategy, options=options),
        candidates=candidates,
        memory=memory or Memory(),
        **{**defaults, **fields},
    )


def order(strategy: str, made: Field) -> list[str]:
    return [row.candidate for row in strategy_named(strategy)(made)]


ABC = (scored("a", 0), scored("b", 1), scored("c", 2))


@pytest.mark.parametrize("name", sorted(STRATEGIES))
def test_every_strategy_ranks_every_candidate_exactly_once(name: str) -> None:
    assert sorted(order(name, field(name, *ABC))) == ["a", "b", "c"]
    assert order(name, field(name, scored("only"))) == ["only"]
    assert order(name, field(name)) == []


def test_round_robin_counts_before_it_answers() -> None:
    memory = Memory()
    made = field("round-robin", *ABC, memory=memory)
    assert [order("round-robin", made)[0] for _ in range(4)] == ["b", "c", "a", "b"]


def test_prefix_affinity_rotates_to_the_hashed_candidate() -> None:
    assert order("prefix-affinity", field("prefix-affinity", *ABC, affine="b")) == ["b", "c", "a"]


def test_lkgp_moves_the_last_good_one_to_the_front() -> None:
    memory = Memory()
    memory.completed("c", "run", "c")
    assert order("lkgp", field("lkgp", *ABC, memory=memory)) == ["c", "a", "b"]


def test_p2c_prefers_the_healthier_of_two() -> None:
    sick = Scored(name="a", state="half-open", measured=Measured(success=0.1), position=0)
    assert order("p2c", field("p2c", sick, scored("b", 1)))[0] == "b"


def test_stickiness_leads_regardless_of_score_and_can_be_turned_off() -> None:
    memory = Memory()
    memory.completed("other", "run", "c")
    made = field("smart", *ABC, memory=memory)
    rows = strategy_named("smart")(made)
    assert rows[0].candidate == "c"
    assert "sticky" in rows[0].reasons
    off = field("smart", *ABC, memory=memory, options=ComboOptions(sticky=False, exploration=0.0))
    assert order("smart", off)[0] == "a"


def test_exploration_promotes_one_and_says_so() -> None:
    made = field("smart", *ABC, options=ComboOptions(exploration=1.0))
    assert "explore" in strategy_named("smart")(made)[0].reasons


def test_cheap_uses_real_prices_and_falls_back_to_the_declared_order() -> None:
    assert order("cheap", field("cheap", scored("a", 0, price_usd=20.0), scored("b", 1, price_usd=1.0)))[0] == "b"
    assert order("cheap", field("cheap", *ABC))[0] == "a"


def test_an_unknown_strategy_names_the_known_ones() -> None:
    with pytest.raises(UsageError, match="round-robin"):
        strategy_named("luck")


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_weights_sum_to_one(preset: str) -> None:
    assert sum(weights(preset, {}).values()) == pytest.approx(1)


def test_custom_weights_start_from_the_preset_and_negatives_count_as_nothing() -> None:
    assert weights("smart", {"health": -5})["health"] == 0
    assert weights("smart", {"health": 100})["health"] == pytest.approx(100 / 170)
    assert weights("weighted", {"cache": 1})["cache_affinity"] == 1
    assert weights("weighted", {"latency": 0})["latency"] == pytest.approx(1 / 6)


@pytest.mark.parametrize(
    ("figures", "values"),
    [((100.0, 300.0, 200.0), (1.0, 0.0, 0.5)), ((None, 100.0, 200.0), (0.5, 1.0, 0.0)), ((5.0, 5.0, 5.0), (1, 1, 1))],
)
def test_latency_is_relative_to_the_set(figures: tuple[float | None, ...], values: tuple[float, ...]) -> None:
    candidates = [
        Scored(name=name, state="closed", measured=Measured(ttft_ms=figure), position=position)
        for position, (name, figure) in enumerate(zip("abc", figures, strict=True))
    ]
    rows = score(candidates, weights("weighted", {"latency": 1}), last_good="", boost=0)
    found = {row.candidate: row.factors[0].value for row in rows}
    assert tuple(found[name] for name in "abc") == pytest.approx(values)


def test_contributions_add_up_to_the_score_and_the_boost_is_named() -> None:
    rows = score(list(ABC), weights("smart", {}), last_good="b", boost=0.1)
    boosted = next(row for row in rows if row.candidate == "b")
    assert boosted.score == pytest.approx(sum(f.contribution for f in boosted.factors) + 0.1)
    assert "last-known-good" in boosted.reasons


def test_fnv1a_is_the_published_hash() -> None:
    assert fnv1a_64("") == 0xCBF29CE484222325
    assert fnv1a_64("a") == 0xAF63DC4C8601EC8C
    assert affine_choice("", ["a"]) == ""


def test_the_affinity_key_ignores_the_growing_tail() -> None:
    first = CompletionRequest(system=("S", "volatile"), dynamic_boundary=1, messages=(user_text("task"),))
    later = CompletionRequest(
        system=("S", "changed"), dynamic_boundary=1, messages=(user_text("task"), user_text("more"))
    )
    assert affinity_key(first) == affinity_key(later)


def test_sticky_runs_forget_the_oldest_used() -> None:
    memory = Memory()
    for number in range(257):
        memory.completed("c", f"run {number}", "a")
    assert memory.sticky("run 0") == ""
    assert memory.sticky("run 1") == "a"


# --- breakers ----------------------------------------------------------------------------------------------------


def test_three_failures_in_a_row_open_and_a_success_in_between_forgets() -> None:
    breaker = Breaker()
    breaker.failed(DOWN, 0)
    breaker.failed(DOWN, 0)
    breaker.succeeded()
    breaker.failed(DOWN, 0)
    breaker.failed(DOWN, 0)
    assert breaker.view(0).state == "closed"
    breaker.failed(DOWN, 0)
    assert (breaker.view(29.9).state, breaker.view(29.9).allowed) == ("open", False)


def opened(at: float = 0.0) -> Breaker:
    breaker = Breaker()
    for _ in range(3):
        breaker.failed(DOWN, at)
    return breaker


def test_looking_never_takes_the_trial() -> None:
    breaker = opened()
    assert all(breaker.view(30).allowed for _ in range(5))
    assert breaker.begin(30)
    assert not breaker.view(30).allowed
    assert not breaker.begin(31)


def test_a_trial_closes_or_reopens_twice_as_long() -> None:
    good, bad = opened(), opened()
    assert good.begin(30)
    good.succeeded()
    assert good.view(30).state == "closed"
    bad.failed(DOWN, 31, bad.begin(30))
    assert not bad.view(31 + 59).allowed
    assert bad.view(31 + 60).allowed


@pytest.mark.parametrize("end", ["released", "uncounted", "silence"])
def test_a_trial_without_a_verdict_frees_its_place(end: str) -> None:
    breaker = opened()
    trial = breaker.begin(30)
    assert trial is not None
    if end == "released":
        breaker.released(trial)
    elif end == "uncounted":
        breaker.failed(InvalidRequest("bad"), 31, trial)
    assert breaker.view(60 if end == "silence" else 31).allowed


def test_a_rate_limit_is_a_cooldown_and_no_failure() -> None:
    breaker = Breaker()
    for _ in range(5):
        breaker.failed(RateLimited("slow", retry_after_s=7), 100)
    assert breaker.view(100).state == "closed"
    assert not breaker.view(106).allowed
    assert breaker.view(107).allowed


@pytest.mark.parametrize("failure", [ModelMissing("gone", status=404), AuthFailed("no", status=401)])
def test_what_no_retry_can_mend_is_out_of_reach_without_being_an_outage(failure: ModelMissing) -> None:
    breaker = Breaker()
    breaker.failed(failure, 0)
    assert (breaker.view(1).state, breaker.view(1).allowed) == ("closed", False)


async def test_an_open_breaker_is_passed_over_until_its_trial() -> None:
    clock = ManualClock()
    a, b = Plays([DOWN]), Plays(said("b"))
    gate = gateway(clock, a=a, b=b)
    for _ in range(4):
        await text_of(gate, combo("a", "b"))
    assert a.calls == 3
    clock.now += 31
    await text_of(gate, combo("a", "b"))
    assert a.calls == 4


async def test_when_all_rest_the_call_waits_for_the_first_to_come_back() -> None:
    clock = ManualClock()
    a = Plays([RateLimited("slow", retry_after_s=20)], said("x"))
    gate = gateway(clock, a=a)
    text, _ = await text_of(gate, combo("a"))
    assert text == "x"
    assert sum(clock.slept) == pytest.approx(20)


async def test_only_a_completed_answer_becomes_the_last_known_good() -> None:
    broken = Plays([*said("half")[:1], ServerFailed("late")])
    gate = gateway(a=broken, b=Plays(said("b")))
    with pytest.raises(ServerFailed):
        await text_of(gate, combo("a", "b"))
    assert gate.memory.last_good("c") == ""
    await text_of(gate, combo("b"))
    assert gate.memory.last_good("c") == "b/m"


def test_accounts_that_share_a_key_fail_together_and_others_do_not() -> None:
    def provider(name: str, key: str) -> Provider:
        return Provider(
            name=name, kind="openai-chat", base_url="u", api_key=key, models=(Model(provider=name, id="m"),)
        )

    roster = Roster(providers={n: provider(n, k) for n, k in (("a", "k1"), ("b", "k1"), ("c", "k2"))}, combos={})
    gate = Gateway(roster, lambda _: Plays(said("x")), ManualClock())
    sort = gate.sort(CompletionRequest(messages=()), combo("a", "b", "c"), 0)
    assert [candidate.domain for candidate in sort.fitting] == ["a/m", "a/m", "c/m"]


def test_keyless_servers_are_their_own_domain() -> None:
    roster = Roster(
        providers={
            name: Provider(name=name, kind="openai-chat", base_url="u", models=(Model(provider=name, id="m"),))
            for name in ("a", "b")
        },
        combos={},
    )
    gate = Gateway(roster, lambda _: Plays(said("x")), ManualClock())
    fitting: tuple[Candidate, ...] = gate.sort(CompletionRequest(messages=()), combo("a", "b"), 0).fitting
    assert [candidate.domain for candidate in fitting] == ["a/m", "b/m"]


async def test_telemetry_keeps_first_word_and_total_apart_and_survives_export() -> None:
    gate = gateway(a=Plays(said("x")))
    gate.roster.providers["a"] = Provider(
        name="a", kind="script", models=(Model(provider="a", id="m", price=Price(input=1_000_000.0, output=0.0)),)
    )
    await text_of(gate, combo("a"))
    measured = gate.telemetry.export()["a/m"]
    assert (measured.requests, measured.success, measured.input, measured.cost_usd) == (1, 1.0, 10, 10.0)
    assert measured.ttft_ms is not None
    assert measured.total_ms is not None
