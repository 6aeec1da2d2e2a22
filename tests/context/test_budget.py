"""The plan for a window: reserve, history, target."""

import pytest

from kram.context import budget, estimate, plan, shape_target


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("abcde", 2), ("abcd", 1), ("日本", 2)])
def test_estimate_is_bytes_over_four_rounded_up(text: str, tokens: int) -> None:
    assert estimate(text) == tokens


@pytest.mark.parametrize(
    ("context", "reserve", "left"), [(254000, 25, 190500), (100, 150, 1), (-1, 25, 0), (100, -5, 100), (0, 10, 0)]
)
def test_budget_takes_a_clamped_percentage(context: int, reserve: int, left: int) -> None:
    assert budget(context, reserve) == left


@pytest.mark.parametrize(
    ("history", "headroom", "target"),
    [(100000, 0, 90000), (1000, 200, 800), (1000, -1, 1000), (1000, 5000, 1000), (5000, 0, 5000)],
)
def test_target_leaves_headroom_where_there_is_room(history: int, headroom: int, target: int) -> None:
    assert shape_target(history, headroom) == target


def test_plan_of_the_reference_window() -> None:
    made = plan(60_000, 5_000)
    assert (made.reserve, made.history, made.target) == (7_500, 47_500, 37_500)


def test_an_unknown_window_is_unbudgeted() -> None:
    assert plan(0, 5_000).unbudgeted


def test_fixed_tokens_larger_than_the_window_leave_no_negative_history() -> None:
    assert plan(4_000, 9_000).history == 0


def test_what_the_count_may_be_off_by_is_taken_from_the_history_only() -> None:
    sure, doubtful = plan(60_000, 5_000), plan(60_000, 5_000, doubt=0.05)
    assert (doubtful.window, doubtful.reserve) == (sure.window, sure.reserve)
    assert doubtful.history == sure.history - 3_000
