"""A continuation that begins by repeating what was shown already loses that part, and nothing else."""

from __future__ import annotations

import random

import pytest

from kram.gateway.splice import Splice
from kram.messages import MessageStopped, StreamEvent, TextDelta, ThinkingDelta, ToolUseStarted

SAID = "First the tests, then the code. The tests live in "


def joined(said: str, new: str, size: int) -> str:
    splice = Splice(said)
    events: list[StreamEvent] = []
    for at in range(0, len(new), size):
        events += splice.feed(TextDelta(text=new[at : at + size]))
    events += splice.close()
    return "".join(event.text for event in events if isinstance(event, TextDelta))


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize(
    ("new", "shown"),
    [
        ("tests/ of course.", "tests/ of course."),
        (SAID + "tests/.", "tests/."),
        ("The tests live in tests/.", "tests/."),
        (SAID, ""),
        (SAID[:-5], ""),
        ("the code. The tests", ""),
        ("tests", "tests"),
        ("First the code, then the tests.", "First the code, then the tests."),
        ("The tests are fine.", "The tests are fine."),
        (" in the folder", " in the folder"),
        ("", ""),
    ],
)
def test_only_a_repetition_up_to_the_end_is_cut(new: str, shown: str, size: int) -> None:
    assert joined(SAID, new, size) == shown


@pytest.mark.parametrize("seed", range(30))
def test_starting_over_is_shown_once_wherever_it_broke_and_however_it_is_cut(seed: int) -> None:
    rng = random.Random(seed)
    whole = "".join(rng.choice("ab \n") for _ in range(rng.randint(1, 400)))
    broke = rng.randint(1, len(whole))
    assert whole[:broke] + joined(whole[:broke], whole, rng.randint(1, 50)) == whole


def test_other_events_keep_their_order_and_end_the_holding_back() -> None:
    splice = Splice("abc")
    assert splice.feed(ThinkingDelta(text="hm")) == [ThinkingDelta(text="hm")]
    assert splice.feed(TextDelta(text="ab")) == []
    call = ToolUseStarted(index=0, id="1", name="t")
    assert splice.feed(call) == [TextDelta(text="ab"), call]
    assert splice.feed(TextDelta(text="abc")) == [TextDelta(text="abc")]
    assert splice.feed(MessageStopped()) == [MessageStopped()]


def test_without_anything_said_nothing_is_held_back() -> None:
    assert Splice("").feed(TextDelta(text="a")) == [TextDelta(text="a")]
