"""What a dead process left is made whole: every call has one result, text is kept, nothing is redone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kram.base import SystemClock
from kram.messages import Entry, Kind, ThinkingBlock, entry
from kram.sessions import DecisionRecord, Store, restore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "kram.db", SystemClock()) as opened:
        yield opened


def call(number: str) -> Entry:
    return entry(Kind.TOOL_CALL, "{}", tool_call_id=number, tool_name="bash")


def result(number: str) -> Entry:
    return entry(Kind.TOOL_RESULT, "ok", tool_call_id=number, tool_name="bash")


def decided(store: Store, session: str, number: str, decision: str) -> None:
    store.decide(session, DecisionRecord(call_id=number, tool="bash", arguments="{}", decision=decision, by="policy"))


def test_a_whole_session_is_left_as_it_is(store: Store) -> None:
    session = store.create("/w").id
    store.append(session, entry(Kind.USER, "x"), call("1"), result("1"), entry(Kind.ASSISTANT, "y"))
    before = store.entries(session)
    assert restore(store, session) == before == store.entries(session)


@pytest.mark.parametrize(
    ("decision", "status"),
    [("allow", "unknown"), ("once", "unknown"), ("always", "unknown"), ("deny", "interrupted"), ("", "interrupted")],
)
def test_an_open_call_gets_the_result_that_is_true(store: Store, decision: str, status: str) -> None:
    session = store.create("/w").id
    store.append(session, entry(Kind.USER, "x"), call("1"))
    if decision:
        decided(store, session, "1", decision)
    entries = restore(store, session)
    assert [one.kind for one in entries] == [Kind.USER, Kind.TOOL_CALL, Kind.TOOL_RESULT]
    assert (entries[-1].tool_call_id, entries[-1].status, entries[-1].is_error) == ("1", status, True)
    assert ("may have taken effect" in entries[-1].content) is (status == "unknown")


def test_each_of_several_calls_gets_exactly_one_result_in_call_order(store: Store) -> None:
    session = store.create("/w").id
    store.append(session, call("1"), call("2"), call("3"), result("2"))
    decided(store, session, "3", "allow")
    restore(store, session)
    results = [(one.tool_call_id, one.status) for one in store.entries(session) if one.kind == Kind.TOOL_RESULT]
    assert results == [("2", ""), ("1", "interrupted"), ("3", "unknown")]


def test_restoring_twice_changes_nothing_more(store: Store) -> None:
    session = store.create("/w").id
    store.append(session, call("1"))
    store.save_partial(session, "p", "half", "", "a/b")
    first = restore(store, session)
    assert restore(store, session) == first == store.entries(session)


def test_text_that_was_being_written_becomes_an_interrupted_message(store: Store) -> None:
    session = store.create("/w").id
    store.append(session, entry(Kind.USER, "x"))
    store.save_partial(session, "p", "ha", "", "a/b")
    store.save_partial(session, "p", "half", "thought", "a/b")
    last = restore(store, session)[-1]
    assert (last.id, last.content, last.status, last.model) == ("p", "half", "interrupted", "a/b")
    assert ThinkingBlock(thinking="thought") in last.parts
    assert store.partials(session) == []


def test_a_message_that_was_stored_leaves_no_half_of_it(store: Store) -> None:
    session = store.create("/w").id
    store.save_partial(session, "p", "half", "", "a/b")
    store.append(session, entry(Kind.ASSISTANT, "half and whole", entry_id="p"))
    assert [one.content for one in restore(store, session)] == ["half and whole"]


def test_an_answer_of_calls_alone_leaves_no_half_message_behind(store: Store) -> None:
    session = store.create("/w").id
    store.save_partial(session, "p", "", "let me call", "a/b")
    store.append(session, call("1"), result("1"))
    assert [one.kind for one in restore(store, session)] == [Kind.TOOL_CALL, Kind.TOOL_RESULT]


def test_blank_text_is_no_message(store: Store) -> None:
    session = store.create("/w").id
    store.append(session, entry(Kind.USER, "x"))
    store.save_partial(session, "p", "\n ", "", "a/b")
    assert [one.kind for one in restore(store, session)] == [Kind.USER]
    assert store.partials(session) == []


def test_what_a_compaction_stands_for_is_not_repaired_again(store: Store) -> None:
    session = store.create("/w").id
    stored = store.append(session, call("old"), entry(Kind.USER, "new"))
    store.compact(session, entry(Kind.COMPACTION, "sum", at_ns=stored[0].created_at), [stored[0].id])
    assert [one.kind for one in restore(store, session)] == [Kind.COMPACTION, Kind.USER]


def test_the_copy_of_a_session_with_an_open_call_knows_that_it_may_have_run(store: Store) -> None:
    session = store.create("/w").id
    store.append(session, call("1"))
    decided(store, session, "1", "once")
    copy = store.fork(session).id
    assert restore(store, copy)[-1].status == "unknown"
