"""The stages as pure functions: what each touches, what none may touch, and that together they always end in a request."""

from __future__ import annotations

import json
from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kram.context import (
    Marks,
    ViewPolicy,
    build_view,
    facts,
    lost,
    measure,
    open_question,
    plan,
    protected,
    tail_start,
)
from kram.context.stages import (
    apply_marks,
    capped,
    checkpoint,
    dedupe,
    emergency,
    fold,
    foldable,
    lod,
    neutralised,
    paired,
    structural,
)
from kram.messages import Entry, Kind, ToolResultBlock, entry

STAGES = (apply_marks, dedupe, lod, checkpoint, structural, emergency, neutralised, capped, paired)
SHAPING = (dedupe, lod, checkpoint, structural, emergency)


def user(text: str = "u", **fields: object) -> Entry:
    return entry(Kind.USER, text, **fields)


def said(text: str = "a") -> Entry:
    return entry(Kind.ASSISTANT, text)


def exchange(number: int, size: int = 2_500, name: str = "read_file") -> list[Entry]:
    arguments = json.dumps({"path": f"f{number % 3}.txt"})
    return [
        entry(Kind.TOOL_CALL, arguments, tool_call_id=f"c{number}", tool_name=name),
        entry(Kind.TOOL_RESULT, f"{number % 2}" * size, tool_call_id=f"c{number}", tool_name=name),
    ]


STEP = st.tuples(
    st.sampled_from(["user", "long user", "answer", "question", "call", "notice", "steer"]), st.integers(0, 9_000)
)


def history(steps: list[tuple[str, int]]) -> list[Entry]:
    entries = [user("begin")]
    for number, (kind, size) in enumerate(steps):
        match kind:
            case "user" | "long user":
                entries.append(user(f"words {number} " + "w" * (size if kind == "long user" else 5)))
            case "answer":
                entries.append(said("t" * (size // 4)))
            case "question":
                entries.append(said(f"Shall I do {number}?"))
            case "call":
                entries += exchange(number, size)
            case "notice":
                entries.append(entry(Kind.NOTIFICATION, "noted", tag="note"))
            case _:
                entries.append(user(f"also {number}", details={"steer": True}))
    return [msgspec.structs.replace(one, created_at=at) for at, one in enumerate(entries, start=1)]


@given(st.lists(STEP, max_size=40), st.integers(200, 4_000))
def test_no_stage_changes_its_input_or_touches_what_is_protected(steps: list[tuple[str, int]], limit: int) -> None:
    entries = history(steps)
    policy = ViewPolicy(tail_messages=3, tail_tools=2, goal=limit, limit=limit, marks=Marks(pinned=(entries[-1].id,)))
    before = list(entries)
    spared = protected(entries, policy)
    for stage in SHAPING:
        kept, report = stage(entries, policy)
        assert entries == before
        by_id = {one.id: one for one in kept}
        assert all(by_id.get(one.id) is one for one in entries if one.id in spared), report.name
        assert report.tokens_after <= report.tokens_before
        assert report.touched or kept == entries
        assert len(by_id) == len(kept)


@given(st.lists(STEP, max_size=40), st.integers(2_000, 40_000))
def test_every_history_ends_in_a_request_that_fits_or_holds_only_what_must_stay(
    steps: list[tuple[str, int]], window: int
) -> None:
    entries = history(steps)
    room = plan(window, 500)
    view = build_view(entries, room, ViewPolicy(tail_messages=4, tail_tools=4), rescue=True)
    for before, after in pairwise(view.messages):
        assert before.role != after.role
    assert view.messages[0].role == "user"
    for place, message in enumerate(view.messages):
        if uses := [use.id for use in message.tool_uses()]:
            results = [b.tool_use_id for b in view.messages[place + 1].content if isinstance(b, ToolResultBlock)]
            assert results == uses
    if view.over_budget:
        policy = ViewPolicy()
        must = measure([one for one in entries if one.id in protected(entries, policy)], policy)
        # Six entries at least stay, each with what a cut leaves of it.
        assert must + 8 * 500 > room.history


@given(st.lists(STEP, min_size=6, max_size=40))
def test_a_fold_loses_nothing_that_must_stay(steps: list[tuple[str, int]]) -> None:
    entries = history(steps)
    policy = ViewPolicy(tail_messages=2, tail_tools=2)
    folding = foldable(entries, policy)
    if not folding.folded:
        return
    after, _, marker = fold(entries, policy, folding, "what was", trigger="auto", todos="1. [pending] x")
    assert lost(facts(entries, policy, folding, todos="1. [pending] x"), after) == ()
    assert marker in after
    ordered = sorted(after, key=lambda one: (one.created_at, one.id))
    assert [one.id for one in ordered] == [one.id for one in after]
    calls = {one.tool_call_id for one in after if one.kind == Kind.TOOL_CALL}
    assert {one.tool_call_id for one in after if one.kind == Kind.TOOL_RESULT} == calls
    for missing in (after[-1], next(one for one in after if one.id in protected(entries, policy))):
        assert lost(facts(entries, policy, folding), [one for one in after if one is not missing])


def test_the_recent_part_gets_shorter_where_it_would_fill_the_window_alone() -> None:
    entries = [user(), *(one for number in range(8) for one in exchange(number, 8_000))]
    wide = ViewPolicy(tail_messages=8, tail_tools=16)
    assert tail_start(entries, wide) == 0 or entries[tail_start(entries, wide)].kind != Kind.TOOL_RESULT
    narrow = msgspec.structs.replace(wide, goal=9_000)
    start = tail_start(entries, narrow)
    assert measure(entries[start:], narrow) <= 4_500
    assert entries[start].kind == Kind.TOOL_CALL
    tiny = msgspec.structs.replace(wide, goal=100)
    assert tail_start(entries, tiny) == len(entries) - 2, "what the model has not seen yet stays"


def test_what_the_person_answers_stays_with_the_answer() -> None:
    asked = said("I can do A or B. Which one?")
    entries = [user("do it"), asked, user("B"), *(one for number in range(6) for one in exchange(number))]
    assert open_question(entries) == [asked]
    assert open_question([*entries[:2]]) == [asked]
    settled = [*entries, said("Done."), user("and now C")]
    assert open_question(settled) == []


def test_all_messages_that_began_a_turn_are_its_last_words() -> None:
    second, steer = user("second", details={"joined": True}), user("steer", details={"steer": True})
    entries = [user("old"), said(), user("first"), second, *exchange(1), steer]
    kept = protected(entries, ViewPolicy())
    assert {one.content for one in entries if one.id in kept} == {"first", "second", "steer"}


@pytest.mark.parametrize("stage", STAGES)
def test_an_empty_history_stays_empty(stage: object) -> None:
    assert stage([], ViewPolicy(goal=10, limit=10))[0] == []  # type: ignore[operator]
