"""Notices: superseding and clearing (A29), preparers (A30), checking before showing (A31), pointers found unasked (A32)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from kram.agent.notices import Finder, Found, Pending, clear_of, hits_of, resolved, revalidator
from kram.messages import Entry, Kind, entry
from tests.support.opened import opened


def said(text: str, at_ns: int, kind: Kind = Kind.USER) -> Entry:
    return entry(kind, text, at_ns=at_ns)


def test_a29_of_two_notices_about_one_thing_only_the_newer_waits() -> None:
    pending = Pending()
    pending.publish("lint", "old", group="file", key="a.py")
    pending.publish("lint", "other", group="file", key="b.py")
    pending.publish("lint", "new", group="file", key="a.py")
    pending.publish("note", "free")
    pending.publish("note", "free")
    assert [one.text for one in pending.take()] == ["other", "new", "free", "free"]
    assert pending.take() == ()


def test_a29_a_clear_takes_back_what_waits_and_leaves_what_was_shown() -> None:
    wanted = clear_of('{"clear":true,"group_by":"file","key":"a.py"}')
    assert wanted is not None
    pending = Pending()
    pending.publish("lint", "shown", group="file", key="a.py")
    assert [one.text for one in pending.take()] == ["shown"]
    pending.publish("lint", "again", group="file", key="a.py")
    assert pending.clear(wanted.group, wanted.key) == 1
    assert pending.waiting() == ()


@pytest.mark.parametrize(
    "result",
    [
        '{"clear":false,"group_by":"f","key":"k"}',
        '{"clear":true,"key":"k"}',
        '{"clear":true,"group_by":"f"}',
        "resolved",
        "{",
    ],
)
def test_a29_everything_else_is_no_clear(result: str) -> None:
    assert clear_of(result) is None


async def test_a30_a_preparer_runs_once_a_call_and_may_take_notices_back(tmp_path: Path) -> None:
    script = """
[[steps]]
expect = { contains = "[lint] fresh" }
calls = [{ name = "list_dir", args = { path = "." } }]
[[steps]]
text = "Done."
"""
    called: list[str] = []
    async with opened(tmp_path, script) as (runtime, _):
        house = runtime._house
        pending = house.bench.inbox.notices
        pending.publish("lint", "stale", group="file", key="a.py")
        pending.publish("lint", "fresh", group="file", key="b.py")

        async def prepare(session_id: str) -> None:
            called.append(session_id)
            pending.clear("file", "a.py")

        house._bench = replace(house.bench, preparers=(prepare,))
        result = await runtime.send("go")
        assert result.subtype == "success", result.error
        assert called == [runtime.session.id] * 2
        told = [one.content for one in runtime.entries() if one.tag == "lint"]
        assert told == ["fresh"]


async def test_a31_only_what_is_resolved_is_taken_back() -> None:
    pending = Pending()
    for key in ("resolved", "bad", "failing"):
        pending.publish("diagnostics", key, group="file", key=key)
    pending.publish("diagnostics", "unknown group", group="other", key="x")

    async def check(key: str) -> str:
        if key == "failing":
            raise RuntimeError("no server")
        return {"resolved": "", "bad": '[{"line":10}]'}[key]

    await revalidator(pending, {"file": check})("s")
    assert [one.key for one in pending.waiting()] == ["bad", "failing", "x"]


@pytest.mark.parametrize(
    ("answer", "gone"), [("", True), (" null ", True), ("{}", True), ("[]", True), ('""', True), ("0", False)]
)
def test_a31_what_counts_as_resolved(answer: str, gone: bool) -> None:
    assert resolved(answer) == gone
    assert not resolved("still failing")


class Library:
    """A search that answers from a list and counts how often it was asked."""

    def __init__(self, hits: Sequence[Found]) -> None:
        self.hits = list(hits)
        self.queries: list[list[str]] = []
        self.fails = False

    async def find(self, texts: Sequence[str]) -> Sequence[Found]:
        self.queries.append(list(texts))
        if self.fails:
            raise OSError("gone")
        return self.hits


def finder(entries: list[Entry], library: Library, pending: Pending, **options: float) -> Finder:
    return Finder(lambda: entries, library.find, pending, hint="Read it with fetch.", **options)  # type: ignore[arg-type]


async def test_a32_what_scores_enough_is_named_with_id_score_and_hint() -> None:
    pending, library = Pending(), Library([Found(id="d1", score=0.9, title="Herons"), Found(id="d2", score=0.1)])
    await finder([said("herons?", 1)], library, pending, min_score=0.5)("s")
    (notice,) = pending.take()
    assert "d1" in notice.text
    assert "0.90" in notice.text
    assert "fetch" in notice.text


async def test_a32_the_best_come_first_and_no_more_than_allowed() -> None:
    pending = Pending()
    library = Library([Found(id="d1", score=0.5), Found(id="d2", score=0.9), Found(id="d3", score=0.7)])
    await finder([said("x", 1)], library, pending, max_hits=2)("s")
    assert ["id d2" in pending.waiting()[0].text, "id d3" in pending.waiting()[1].text] == [True, True]
    assert len(pending.waiting()) == 2


async def test_a32_a_document_is_named_once() -> None:
    pending, library = Pending(), Library([Found(id="d1", score=1.0)])
    entries = [said("one", 1)]
    find = finder(entries, library, pending)
    await find("s")
    entries.append(said("two", 2))
    await find("s")
    assert (len(pending.take()), library.queries) == (1, [["one"], ["two"]])


async def test_a32_without_new_words_nothing_is_looked_up() -> None:
    pending, library = Pending(), Library([])
    entries = [said("one", 1), said("a result", 2, Kind.TOOL_RESULT)]
    find = finder(entries, library, pending)
    await find("s")
    await find("s")
    assert library.queries == [["one"]]
    only_results = Library([])
    await finder([said("a result", 1, Kind.TOOL_RESULT)], only_results, pending)("s")
    assert only_results.queries == []


async def test_a32_a_search_that_failed_is_made_again() -> None:
    pending, library = Pending(), Library([Found(id="d1", score=1.0)])
    find = finder([said("one", 1)], library, pending)
    library.fails = True
    await find("s")
    assert pending.waiting() == ()
    library.fails = False
    await find("s")
    assert library.queries == [["one"], ["one"]]
    assert len(pending.waiting()) == 1


async def test_a32_a_search_that_takes_too_long_is_given_up() -> None:
    pending = Pending()

    async def never(texts: Sequence[str]) -> Sequence[Found]:
        await asyncio.Event().wait()
        return []

    await Finder(lambda: [said("one", 1)], never, pending, hint="", timeout_s=0.01)("s")
    assert pending.waiting() == ()


def test_a32_hits_are_read_from_what_search_tools_answer() -> None:
    assert [hit.id for hit in hits_of('[{"id":"a","score":1},{"text":"no id"}]')] == ["a"]
    (hit,) = hits_of('{"results":[{"doc_id":"b","snippet":"' + "x" * 500 + '"}]}')
    assert (hit.id, len(hit.line)) == ("b", 240)
    assert hits_of("nothing found") == []
    assert hits_of('{"hits":"none"}') == []


async def test_a32_earlier_sessions_are_pointed_out_where_that_is_wanted(tmp_path: Path) -> None:
    config = tmp_path / "home" / "config"
    config.mkdir(parents=True)
    (config / "config.toml").write_text("[context]\nrecall = true\n")
    async with opened(tmp_path, '[[steps]]\ntext = "The pelican nests on the harbour wall."\n') as (runtime, _):
        await runtime.send("Where do pelicans nest?")
        earlier = runtime.session.id
    script = f'[[steps]]\nexpect = {{ contains = "{earlier}" }}\ntext = "I remember."\n'
    async with opened(tmp_path, script) as (runtime, _):
        result = await runtime.send("Tell me of the pelican on the harbour wall")
        assert result.text == "I remember.", result.error
        assert [one.tag for one in runtime.entries() if one.kind == Kind.NOTIFICATION] == ["recall"]
