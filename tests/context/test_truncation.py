"""A prompt that a server cut in silence shows in its own figures."""

from __future__ import annotations

import pytest

from kram.context import Estimator, Seen, is_cut
from kram.messages import CompletionRequest, Usage, user_text

MODEL = "ollama/m"


@pytest.mark.parametrize(
    ("counted", "reported", "cut"),
    [
        (10_000, 4_096, True),
        (10_000, 5_900, True),
        (10_000, 6_100, False),
        (10_000, 9_500, False),
        (10_000, 15_000, False),
        (10_000, 0, False),
        (10_000, 125, False),
        (800, 100, False),
        (0, 0, False),
    ],
)
def test_far_fewer_than_were_sent(counted: int, reported: int, cut: bool) -> None:
    assert is_cut(Seen(counted=counted, reported=reported, plain=counted)) is cut


@pytest.mark.parametrize(
    ("counted", "reported", "cut"),
    [(6_500, 4_096, True), (6_500, 4_000, True), (6_500, 4_100, True), (6_500, 5_900, False), (5_500, 4_096, False)],
)
def test_a_figure_that_stands_still_while_the_prompt_grows(counted: int, reported: int, cut: bool) -> None:
    before = Seen(counted=5_000, reported=4_080, plain=5_000)
    assert is_cut(Seen(counted=counted, reported=reported, plain=counted), before) is cut


def test_a_count_that_has_learnt_in_between_is_no_growth() -> None:
    before = Seen(counted=3_000, reported=6_000, plain=3_000)
    assert not is_cut(Seen(counted=6_050, reported=6_030, plain=3_020), before)


def request(words: int) -> CompletionRequest:
    return CompletionRequest(messages=(user_text("word " * words),))


def test_a_server_with_a_small_window_is_found_out_and_teaches_nothing() -> None:
    estimator = Estimator()
    for words in (500, 1_000, 2_000, 3_500):
        assert not estimator.observe(MODEL, request(words), Usage(input=words + 20)).cut
    taught = estimator.of(MODEL)
    first = estimator.observe(MODEL, request(9_000), Usage(input=4_096), session="s")
    again = estimator.observe(MODEL, request(9_500), Usage(input=4_096), session="s")
    other = estimator.observe(MODEL, request(9_500), Usage(input=4_096), session="t")
    assert [(one.cut, one.first_cut) for one in (first, again, other)] == [(True, True), (True, False), (True, True)]
    assert estimator.of(MODEL) == taught


def test_a_prompt_that_creeps_over_the_edge_is_found_out_too() -> None:
    """Each step is small enough to pass for a wrong estimate."""
    estimator = Estimator()
    cut = [
        estimator.observe(MODEL, request(words), Usage(input=min(words + 20, 4_096)), session="s").cut
        for words in range(1_000, 8_000, 400)
    ]
    assert any(cut)
    assert not any(cut[:8])


def test_a_server_that_counts_something_else_teaches_nothing() -> None:
    estimator = Estimator()
    assert not estimator.observe(MODEL, request(9_000), Usage(input=120)).cut
    assert estimator.of(MODEL).calls == 0


CHEAP = {"spaces": " " * 40_000, "marks": "=" * 40_000, "lines": "\n" * 20_000, "code": "    return None\n" * 2_000}


@pytest.mark.parametrize("text", CHEAP.values(), ids=CHEAP)
def test_texts_that_are_cheap_do_not_look_like_a_cut_prompt(text: str) -> None:
    """Long runs take far fewer tokens than a quarter of their bytes."""
    words, marks = len(text.split()), text.count("=") // 16 + text.count("\n")
    asked = CompletionRequest(messages=(user_text(text),))
    assert not Estimator().observe(MODEL, asked, Usage(input=max(20, words + marks))).cut
