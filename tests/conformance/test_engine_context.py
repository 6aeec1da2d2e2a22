"""The cases of the engines this one follows, item by item: budget, shaping, compaction, checkpoints, boundaries, reminders."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from itertools import pairwise

import pytest

from kram.agent.checkpointing import checkpoint_within
from kram.context import (
    BlankSummary,
    Checkpoint,
    Compactor,
    CoreCall,
    CoreMessage,
    FoldInfo,
    IndexedCheckpoint,
    Shaper,
    ViewPolicy,
    active_skills,
    boundary_of,
    budget,
    build_view,
    cap,
    checkpoint_of,
    cut_skill,
    estimate,
    is_todo_reminder,
    last_boundary,
    lower_detail,
    make_marker,
    pair,
    plan,
    pristine_tail,
    read_boundary,
    reminder,
    render,
    shape_target,
    shifted,
    since_boundary,
    skill_name,
    skill_text,
    stub,
    substituted,
    summarise_turn,
    todo_due,
    todo_reminder,
)
from kram.context.stages import Folding, checkpoint, dedupe, foldable, paired
from kram.events import Todo
from kram.messages import Entry, Kind, Message, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock, entry

POLICY = ViewPolicy(tail_messages=1, tail_tools=0)


def user(text: str = "u", **fields: object) -> Entry:
    return entry(Kind.USER, text, **fields)


def said(text: str = "a", **fields: object) -> Entry:
    return entry(Kind.ASSISTANT, text, **fields)


def exchange(name: str, arguments: object, result: str, call_id: str = "") -> list[Entry]:
    """A call and its result."""
    call_id = call_id or f"call_{id(arguments)}_{estimate(result)}"
    raw = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return [
        entry(Kind.TOOL_CALL, raw, tool_call_id=call_id, tool_name=name),
        entry(Kind.TOOL_RESULT, result, tool_call_id=call_id, tool_name=name),
    ]


# --- A17 to A20: the estimate, the budget, the target, the tail -----------------------------------------------------


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("abcde", 2)])
def test_a17_estimate(text: str, tokens: int) -> None:
    assert estimate(text) == tokens


@pytest.mark.parametrize(
    ("window", "reserve", "left"), [(254000, 25, 190500), (100, 150, 1), (-1, 25, 0), (100, -5, 100)]
)
def test_a17_budget(window: int, reserve: int, left: int) -> None:
    assert budget(window, reserve) == left


def test_a17_another_count_counts_everywhere() -> None:
    from kram.context import Meter

    policy = ViewPolicy(meter=Meter(count=len, per_message=10, per_call=20))
    view = build_view([user("abc"), *exchange("t", "{}", "xy", "c")], plan(0, 0), policy)
    assert view.tokens == (3 + 10) + (2 + 20 + 1) + (2 + 10 + 1)


async def test_a18_an_unknown_window_is_never_cut() -> None:
    asked: list[str] = []

    async def summarise(entries: Sequence[Entry], earlier: str) -> str:
        asked.append(earlier)
        return "s"

    shaper = Shaper(summarise, budget=0)
    entries = [user("x" * 50_000) for _ in range(5)]
    for _ in range(3):
        shaped = await shaper.build(entries)
        assert shaped.entries == tuple(entries)
        assert sum(len(message.text()) for message in shaped.messages) == 250_000
    assert not asked


@pytest.mark.parametrize(
    ("history", "headroom", "target"),
    [(100000, 0, 90000), (1000, 200, 800), (1000, -1, 1000), (1000, 5000, 1000), (5000, 0, 5000)],
)
def test_a19_target(history: int, headroom: int, target: int) -> None:
    assert shape_target(history, headroom) == target


U, A, TC, TR = "user", "assistant", "tool_call", "tool_result"


@pytest.mark.parametrize(
    ("kinds", "messages", "tools", "kept"),
    [
        ([], 5, 5, 0),
        ([U, A, U, A], 5, 5, 4),
        ([U, A, U, A, U, A], 3, 0, 3),
        ([TC, A, TR, U], 2, 1, 3),
        (["compaction", U], 1, 0, 2),
        (["notification", U, A], 1, 0, 1),
    ],
)
def test_a20_pristine_tail(kinds: list[str], messages: int, tools: int, kept: int) -> None:
    assert pristine_tail([entry(kind) for kind in kinds], messages, tools) == kept


# --- A21: level of detail ----------------------------------------------------------------------------------------------


def test_a21_a_stub() -> None:
    source = entry(Kind.TOOL_RESULT, "x" * 10_000, entry_id="abc-123")
    made = stub(source, 4000)
    assert "event_id=abc-123" in made.content
    assert "len=10000" in made.content
    assert made.content.count("x") == 2000
    assert len(made.content) < len(source.content)
    assert stub(source, 50).content.count("x") == 100
    assert stub(source, 0) is source


def test_a21_under_budget_only_when_asked_for() -> None:
    entries = [user(), *exchange("t", "{}", "y" * 9000, "c"), user(), said(), user()]
    policy = ViewPolicy(tail_messages=2, tail_tools=0, stub_above_chars=1000)
    assert build_view(entries, plan(0, 0), policy).entries == tuple(entries)
    always = ViewPolicy(tail_messages=2, tail_tools=0, stub_above_chars=1000, always_lod=True)
    assert "len=9000" in build_view(entries, plan(0, 0), always).entries[2].content


def test_a21_the_reference_prunes_long_results_outside_the_last_eight() -> None:
    entries = [one for number in range(12) for one in exchange("t", "{}", "z" * 2_001, f"c{number}")]
    kept = lower_detail(entries, above_chars=2_000, keep=8)
    results = [one.content for one in kept if one.kind == Kind.TOOL_RESULT]
    assert [len(text) > 2_000 for text in results] == [False] * 8 + [True] * 4


# --- A22 to A24: folding -----------------------------------------------------------------------------------------------


async def short_summary(entries: Sequence[Entry], earlier: str) -> str:
    return "what was"


def markers(entries: Sequence[Entry]) -> list[Entry]:
    return [one for one in entries if one.kind == Kind.COMPACTION]


async def test_a22_one_marker_and_the_tail_whole() -> None:
    entries = [user("w" * 4000, at_ns=at) for at in range(1, 7)]
    shaper = Shaper(short_summary, budget=500, headroom=-1, keep_messages=1, keep_tools=0)
    shaped = await shaper.build(entries)
    assert len(markers(shaped.entries)) == 1
    assert shaped.entries[-1] is entries[-1]
    assert markers(shaped.entries)[0].created_at == 5
    again = await shaper.build(shaped.entries)
    assert again.entries == shaped.entries
    assert not again.folds


async def test_a22_a_blank_summary_changes_nothing() -> None:
    async def blank(entries: Sequence[Entry], earlier: str) -> str:
        return "  \n"

    entries = [user("w" * 4000) for _ in range(6)]
    before = list(entries)
    with pytest.raises(BlankSummary):
        await Shaper(blank, budget=500, headroom=-1, keep_messages=1).build(entries)
    assert entries == before


async def test_a22_an_earlier_marker_is_fed_to_the_summariser_and_not_listed() -> None:
    fed: list[str] = []

    async def summarise(entries: Sequence[Entry], earlier: str) -> str:
        fed.append(earlier)
        return f"summary {len(fed)}"

    shaper = Shaper(summarise, keep_messages=1, keep_tools=0)
    first, _ = await shaper.compact([user("one"), said("two"), user("three")])
    second, _ = await shaper.compact([*first.entries, said("four"), user("five")])
    assert "summary 1" in fed[1]
    (marker,) = markers(second.entries)
    assert marker.id not in [one["id"] for one in marker.details["subsumed"]]
    assert len(marker.details["subsumed"]) == 2


async def test_a23_manual() -> None:
    shaper = Shaper(short_summary, keep_messages=2, keep_tools=0)
    pristine = [user("one"), said("two")]
    shaped, did = await shaper.compact(pristine)
    assert (did, shaped.folds, shaped.entries) == (False, (), tuple(pristine))
    first, did = await shaper.compact([user("a"), said("b"), *pristine])
    assert did
    second, did = await shaper.compact(first.entries)
    assert not did
    assert len(markers(second.entries)) == 1


async def test_a24_what_a_fold_tells() -> None:
    told: list[FoldInfo] = []
    entries = [one for number in range(2) for one in (user(f"{number}" * 4000), said("b" * 4000))]
    shaper = Shaper(short_summary, budget=3000, headroom=-1, keep_messages=1, keep_tools=0, on_fold=told.append)
    shaped = await shaper.build([*entries, user("now")])
    assert told == list(shaped.folds)
    assert [info.subsumed_count for info in told] == [4]
    assert told[0].summary == "what was"
    assert told[0].tokens_before > told[0].tokens_after


# --- A25: the cap ------------------------------------------------------------------------------------------------------


def test_a25_a_long_result_is_cut_in_the_view_only() -> None:
    entries = [user(), *exchange("t", "{}", "r" * 500, "c")]
    view = build_view(entries, plan(0, 0), ViewPolicy(cap_chars=80))
    shown = view.entries[2].content
    assert "truncated" in shown
    assert f"event_id={entries[2].id}" in shown
    assert len(entries[2].content) == 500


def test_a25_no_character_is_split() -> None:
    shown = cap("日" * 200, 90)
    assert shown.startswith("日" * 60)
    assert shown.endswith("日" * 30)
    assert shown.encode("utf-8").decode("utf-8") == shown


# --- B14: the same thing twice -----------------------------------------------------------------------------------------


def deduped(*exchanges: list[Entry]) -> list[str]:
    entries = [one for pair_ in exchanges for one in pair_]
    kept, _ = dedupe([*entries, user("end")], POLICY)
    return [one.content for one in kept if one.kind == Kind.TOOL_RESULT]


LONG = "the whole text of the file, line by line, as it was read from the disk"


def test_b14_the_earlier_of_two_equal_reads_gives_way() -> None:
    for argument in ("path", "file_path"):
        read = {argument: "f"}
        results = deduped(exchange("read_file", read, LONG, "1"), exchange("read_file", read, LONG, "2"))
        assert results == ["[Earlier file read: f]", LONG]


def test_b14_changed_text_stays() -> None:
    other = LONG + " and more"
    assert deduped(
        exchange("read_file", {"path": "f"}, LONG, "1"), exchange("read_file", {"path": "f"}, other, "2")
    ) == [LONG, other]


def test_b14_only_commands_that_look() -> None:
    status, listing = {"command": "git status"}, {"command": "ls -la"}
    results = deduped(
        exchange("bash", status, LONG, "1"),
        exchange("bash", status, LONG, "2"),
        exchange("bash", listing, LONG, "3"),
        exchange("bash", listing, LONG, "4"),
        exchange("bash", {"cmd": "pwd"}, LONG, "5"),
        exchange("bash", {"cmd": "pwd"}, LONG, "6"),
    )
    assert results == [LONG, LONG, "[Earlier command output: ls -la]", LONG, "[Earlier command output: pwd]", LONG]


@pytest.mark.parametrize("arguments", ['{"path": ', "{}", '{"path": 7}', "[]", ""])
def test_b14_unreadable_arguments_are_left_alone(arguments: str) -> None:
    assert deduped(exchange("read_file", arguments, LONG, "1"), exchange("read_file", arguments, LONG, "2")) == [
        LONG,
        LONG,
    ]


def test_b14_eight_equal_reads() -> None:
    reads = [exchange("read_file", {"path": "f"}, LONG, f"{number}") for number in range(8)]
    before = [one.content for read in reads for one in read]
    assert deduped(*reads) == ["[Earlier file read: f]"] * 7 + [LONG]
    assert [one.content for read in reads for one in read] == before


def test_b14_at_most_ten_outputs_of_a_command() -> None:
    outputs = [f"{LONG} {number}" for number in range(11)]
    runs = [
        exchange("bash", {"command": "ls"}, text, f"{at}") for at, text in enumerate([*outputs, outputs[0], outputs[5]])
    ]
    results = deduped(*runs)
    assert results[0] == outputs[0], "the oldest of eleven outputs was forgotten"
    assert results[5].startswith("[Earlier")


# --- B15 and B16: what a turn came to ------------------------------------------------------------------------------------


def a_turn(result: str = "fine", answer: str = "It is done.") -> list[Entry]:
    return [
        user("Fix the thing"),
        *exchange("read_file", {"path": "a.py"}, "text", "1"),
        *exchange("read_file", {"path": "b.py"}, result, "2"),
        *exchange("edit_file", {"path": "a.py"}, "edited", "3"),
        *([said(answer)] if answer else []),
    ]


def test_b15_facts_of_a_turn() -> None:
    summary = summarise_turn(a_turn("Error: no such file"))
    assert summary.read == ("a.py", "b.py")
    assert summary.modified == ("a.py",)
    text = summary.narrative()
    assert "edit_file, read_file (2x)" in text
    assert "1 error(s)" in text
    assert summary.status == "completed"


@pytest.mark.parametrize(
    ("result", "answer", "status"),
    [
        ("fine", "", "interrupted"),
        ("Error: refused", "", "error"),
        ("fine", "and then (", "partial"),
        ("fine", "Yes.", "completed"),
    ],
)
def test_b15_status(result: str, answer: str, status: str) -> None:
    assert summarise_turn(a_turn(result, answer)).status == status


def test_b15_nothing_said() -> None:
    assert "interrupted" in summarise_turn([]).actionable()


def test_b15_commands_and_length() -> None:
    runs = [one for number in range(5) for one in exchange("bash", {"command": f"make {number}"}, "ok", f"{number}")]
    text = summarise_turn([user("word " * 100), *runs, said("end " * 100)]).narrative()
    assert "5 commands, first: make 0; make 1; make 2" in text
    asked = text.split(". ")[0].removeprefix("Asked: ")
    assert asked.endswith("word...")
    assert len(asked) <= 203


async def test_b16_a_slow_builder_leaves_a_minimal_checkpoint() -> None:
    async def slow(entries: Sequence[Entry]) -> Checkpoint:
        await asyncio.Event().wait()
        raise AssertionError

    turn = a_turn()
    made = await checkpoint_within(turn, slow, 0.01)
    assert (made.start, made.end) == (turn[0].id, turn[-1].id)
    assert "Fix the thing" in made.summary


# --- B17 and B18: checkpoints in a history ---------------------------------------------------------------------------------


M = [CoreMessage(role=role, content=f"m{at}") for at, role in enumerate(["user", "assistant"] * 3)]


def test_b17_a_range_becomes_one_message() -> None:
    before = list(M[:4])
    result = substituted(before, [IndexedCheckpoint(start=0, end=1, summary="S")])
    assert result == [CoreMessage(role="user", content="S"), M[2], M[3]]
    assert before == M[:4]


def test_b17_the_first_of_two_that_overlap() -> None:
    both = [IndexedCheckpoint(start=1, end=3, summary="late"), IndexedCheckpoint(start=0, end=1, summary="early")]
    assert [one.content for one in substituted(M, both)] == ["early", "m2", "m3", "m4", "m5"]


@pytest.mark.parametrize(("start", "end", "summary"), [(0, 1, " "), (-1, 1, "S"), (2, 1, "S"), (0, 9, "S")])
def test_b17_unusable_ones_are_left_out(start: int, end: int, summary: str) -> None:
    assert substituted(M, [IndexedCheckpoint(start=start, end=end, summary=summary)]) == M


def test_b17_two_assistants_in_a_row_keep_the_calls_of_both() -> None:
    first = CoreMessage(role="assistant", content="x", tool_calls=(CoreCall(id="1", name="t"),))
    second = CoreMessage(role="assistant", content="y", tool_calls=(CoreCall(id="2", name="t"),))
    (joined,) = substituted([first, second], [])
    assert joined.content == "x\ny"
    assert [call.id for call in joined.tool_calls] == ["1", "2"]


def test_b17_the_stage_keeps_the_persons_words() -> None:
    turn = a_turn("r" * 2000)
    entries = [*turn, user("next"), said("ok"), user("now")]
    policy = ViewPolicy(tail_messages=1, tail_tools=0, checkpoints=(checkpoint_of(turn),))
    kept, report = checkpoint(entries, policy)
    assert [one.content for one in kept if one.kind == Kind.USER] == ["Fix the thing", "next", "now"]
    assert "read_file (2x)" in kept[1].content
    assert report.saved > 400
    assert len(kept) == 5


@pytest.mark.parametrize(
    ("left", "start", "end", "wanted"),
    [
        ([2, 3, 4, 5], 2, 4, (0, 2)),
        ([2, 3, 4, 5], 0, 1, (-1, -1)),
        ([2, 3, 4, 5], 1, 3, (0, 1)),
        ([0, 1, 2], 1, 4, (1, 2)),
        ([0, 1, 2, 3, 4, 5], 3, 9, (3, 9)),
        ([0, 1, 2, 3, 4, 5], -1, -1, (-1, -1)),
    ],
)
def test_b18_shifted(left: list[int], start: int, end: int, wanted: tuple[int, int]) -> None:
    (moved,) = shifted(M, [M[at] for at in left], [IndexedCheckpoint(start=start, end=end, summary="S")])
    assert (moved.start, moved.end) == wanted


def test_b18_nothing_to_map() -> None:
    points = [IndexedCheckpoint(start=0, end=1, summary="S")]
    assert shifted([], M, points) == points
    assert shifted(M, [], points) == points


# --- B19: without a model ------------------------------------------------------------------------------------------------


def chat(count: int, length: int) -> list[CoreMessage]:
    roles = ["user", "assistant"]
    return [
        CoreMessage(role="system", content="rules"),
        *(CoreMessage(role=roles[at % 2], content="x" * length) for at in range(count - 1)),
    ]


def test_b19_few_messages_stay() -> None:
    result = Compactor().compact(chat(3, 9_000), 10)
    assert (result.strategy, len(result.messages)) == ("none", 3)


def test_b19_under_the_limit() -> None:
    result = Compactor().compact(chat(9, 40), 10_000)
    assert (result.strategy, result.saved, list(result.messages)) == ("checkpoint", 0, chat(9, 40))


def test_b19_many_short_ones() -> None:
    result = Compactor().compact(chat(61, 20), 500)
    assert len(result.messages) < 61
    assert result.messages[0] == CoreMessage(role="system", content="rules")
    assert result.tokens_after < result.tokens_before


def test_b19_many_long_ones() -> None:
    result = Compactor().compact(chat(61, 5_000), 100)
    assert result.strategy == "emergency"
    assert result.tokens_after < result.tokens_before / 4
    assert result.messages[0].content == "rules"


def test_b19_no_result_is_left_without_its_call() -> None:
    rounds = [
        one
        for at in range(40)
        for one in (
            CoreMessage(role="assistant", tool_calls=(CoreCall(id=f"c{at}", name="t"),)),
            CoreMessage(role="tool", content="r" * 3_000, tool_call_id=f"c{at}"),
        )
    ]
    for limit in (50, 500, 5_000, 50_000):
        result = Compactor().compact([CoreMessage(role="user", content="go"), *rounds], limit)
        called: list[str] = []
        for one in result.messages:
            called += [call.id for call in one.tool_calls]
            assert one.role != "tool" or one.tool_call_id in called
        answered = [one.tool_call_id for one in result.messages if one.role == "tool"]
        assert answered == called
        assert result.saved >= 0


# --- C26 and C27: boundaries and pairs -------------------------------------------------------------------------------------


def marker(text: str = "sum") -> Entry:
    folded = (user("old"), said("older"))
    return make_marker(folded, POLICY, Folding(folded=folded), text, trigger="manual")


def test_c26_the_last_boundary() -> None:
    first, last = marker(), marker()
    entries = [user("a"), first, user("b"), last, user("c")]
    assert last_boundary(entries) == 3
    assert [one.id for one in since_boundary(entries)] == [last.id, entries[4].id]
    assert since_boundary(entries[:1]) == entries[:1]
    assert boundary_of(entries[0]) is None
    found = boundary_of(last)
    assert found is not None
    assert (found.trigger, found.messages_summarized) == ("manual", 2)


def test_c26_payloads() -> None:
    assert read_boundary(1234).pre_tokens == 1234
    assert read_boundary({"trigger": "auto", "pre_tokens": 5}).trigger == "auto"
    assert read_boundary("nonsense") == read_boundary(None) == read_boundary({})


def blocks(messages: Sequence[Message], kind: type) -> list[str]:
    return [
        getattr(b, "id", "") or getattr(b, "tool_use_id", "")
        for m in messages
        for b in m.content
        if isinstance(b, kind)
    ]


def test_c27_a_boundary_between_use_and_result() -> None:
    call, result = exchange("t", "{}", "r", "c")
    kept = since_boundary([user(), call, marker("the summary"), result, user("on")])
    messages = pair(render(kept))
    assert not blocks(messages, ToolResultBlock)
    assert "the summary" in messages[0].text()


def test_c27_what_hangs_is_dropped_and_pairs_stay() -> None:
    whole, hanging = exchange("t", "{}", "r", "whole"), exchange("t", "{}", "r", "hanging")
    entries = [user(), *whole, user(), hanging[0]]
    for messages in (pair(render(entries)), render(paired(entries, POLICY)[0])):
        assert blocks(messages, ToolUseBlock) == ["whole"] == blocks(messages, ToolResultBlock)
    assert paired([user(), *whole], POLICY)[1].touched == ()


def test_c27_thinking_and_text_beside_a_dropped_use_stay() -> None:
    parts = (ThinkingBlock(thinking="hm", signature="s"), TextBlock(text="I look"))
    call = entry(Kind.TOOL_CALL, "{}", tool_call_id="c", tool_name="t", parts=parts)
    messages = render(paired([user(), call], POLICY)[0])
    assert [type(block) for block in messages[1].content] == [ThinkingBlock, TextBlock]


# --- C28 and C29: skills ---------------------------------------------------------------------------------------------------


def test_c28_name_and_text() -> None:
    text = skill_text("pdf", "/s/pdf/SKILL.md", "Do this.", base_directory="/s/pdf")
    assert skill_name(text) == "pdf"
    assert "/s/pdf" in text
    assert skill_name("how do I read a pdf?") == ""
    assert skill_name(skill_text(" ", "p", "b")) == ""


def test_c28_the_latest_of_each_in_order_within_the_limits() -> None:
    def skill(name: str, size: int = 10) -> Entry:
        return user(skill_text(name, "p", "b" * size))

    first, other, again = skill("pdf"), skill("xls"), skill("pdf")
    assert active_skills([first, user("x"), other, again]) == [other, again]
    large = [skill(f"s{number}", 30_000) for number in range(7)]
    assert active_skills(large) == large[2:]


def test_c28_skills_are_not_folded_and_are_not_the_persons_words() -> None:
    skill = user(skill_text("pdf", "p", "body"))
    entries = [user("do it"), skill, said("x"), user("next"), said("y"), user("now")]
    folding = foldable(entries, POLICY)
    assert skill.id not in [one.id for one in folding.folded]
    made = make_marker(entries, POLICY, folding, "sum", trigger="auto")
    assert boundary_of(made).active_skills == ("pdf",)  # type: ignore[union-attr]
    assert "body" not in made.content


def test_c29_a_cut_skill_is_still_one() -> None:
    text = skill_text("pdf", "p", "b" * 10_000)
    short = cut_skill(text, 1_000)
    assert skill_name(short) == "pdf"
    assert short.endswith("</system-reminder>")
    assert 1_000 < len(short) < 1_300
    assert cut_skill(text, 0) == text == cut_skill(text, 20_000)


# --- C30: the todo reminder --------------------------------------------------------------------------------------------------


TODOS = (Todo(content="first", status="completed"), Todo(content="second"))


def answered(count: int) -> list[Entry]:
    return [one for number in range(count) for one in (said(f"a{number}"), *exchange("t", "{}", "r", f"c{number}"))]


def test_c30_text_and_detection() -> None:
    text = reminder(todo_reminder(TODOS))
    assert "1. [completed] first\n2. [pending] second" in text
    assert is_todo_reminder(text)
    assert not is_todo_reminder("1. [pending] second")
    assert not is_todo_reminder(reminder("something else"))


def test_c30_after_ten_answers_and_then_after_ten_more() -> None:
    written = exchange("todo_write", "{}", "ok", "w")
    assert not todo_due([user(), *written, *answered(9)], TODOS)
    ten = [user(), *written, *answered(10)]
    assert todo_due(ten, TODOS)
    assert not todo_due(ten, ())
    assert not todo_due([*ten, *answered(9)], TODOS, last_reminder=ten[-1].id)
    assert todo_due([*ten, *answered(10)], TODOS, last_reminder=ten[-1].id)


# --- the reference's numbers -------------------------------------------------------------------------------------------------


def test_the_reference_plan() -> None:
    made = plan(60_000, 5_000)
    assert (made.reserve, made.history) == (7_500, 47_500)
    assert plan(200_000, 5_000).reserve == 8_000
    assert plan(4_000, 9_000).history == 0
    assert plan(60_000, 5_000, reserve=3_000).history == 52_000


def test_after_a_compaction_there_is_still_a_turn_of_the_user() -> None:
    view = build_view([marker(), user("go on")], plan(60_000, 5_000), ViewPolicy())
    assert "go on" in view.messages[-1].text()
    for before, after in pairwise(view.messages):
        assert before.role != after.role
