"""Compaction through the runtime: the review, what must survive, what happens when no summary can be had, taking it back."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from kram import events
from kram.base import UsageError
from kram.messages import Entry, Kind
from tests.support.opened import opened

TALK = "".join(f'[[steps]]\ntext = "Answer {number}."\n' for number in range(12))
SUMMARY = """
[[steps]]
repeat = 0
when = { system = "record of a working session" }
text = "SUMMARY OF IT ALL"
usage = { input = 500, output = 40 }
"""
END = '[[steps]]\nrepeat = 0\ntext = "Going on."\n'


def contents(entries: list[Entry], kind: str) -> list[str]:
    return [entry.content for entry in entries if entry.kind == kind]


async def talk(runtime: object, count: int = 12) -> None:
    for number in range(count):
        await runtime.send(f"question {number}")  # type: ignore[attr-defined]


async def test_a_draft_tells_what_becomes_of_every_entry_and_changes_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path, TALK + SUMMARY + END) as (runtime, _):
        await talk(runtime)
        before = runtime.entries()
        draft = await runtime.draft_compaction("the numbers")
        assert runtime.entries() == before
        assert draft.summary == "SUMMARY OF IT ALL"
        listed = [item.id for item in (*draft.kept, *draft.summarised, *draft.dropped)]
        assert sorted(listed) == sorted(entry.id for entry in before)
        assert {"your words, quoted", "recent", "your last words"} <= {item.why for item in draft.kept}
        assert [item.label for item in draft.summarised] == [f"Answer {number}." for number in range(8)]
        assert draft.tokens_before == sum(item.tokens for item in (*draft.kept, *draft.summarised))
        assert (draft.usage.input, draft.usage.output) == (500, 40)


async def test_the_edited_summary_is_what_is_kept(tmp_path: Path) -> None:
    script = TALK + SUMMARY + '[[steps]]\nexpect = { contains = "my own words about it" }\ntext = "Knows."\n'
    async with opened(tmp_path, script) as (runtime, heard):
        await talk(runtime)
        draft = await runtime.draft_compaction()
        await runtime.apply_compaction(draft)
        (event,) = heard.of(events.Compacted)
        assert (event.tokens_before, event.tokens_after) == (draft.tokens_before, draft.tokens_after)
        assert runtime.uncompact()
        draft = await runtime.draft_compaction()
        await runtime.apply_compaction(msgspec.structs.replace(draft, summary="my own words about it"))
        assert (await runtime.send("still there?")).text == "Knows."
        assert [event.trigger for event in heard.of(events.Compacted)] == ["manual", "manual"]
        # The one that was taken back has the same time; only the words tell the two apart.
        markers = [entry for entry in runtime.entries() if entry.kind == Kind.COMPACTION]
        (marker,) = [entry for entry in markers if "my own words about it" in entry.content]
        assert "SUMMARY" not in marker.content
        assert "1. question 0" in marker.content


async def test_a_draft_is_for_the_session_as_it_was(tmp_path: Path) -> None:
    async with opened(tmp_path, TALK + SUMMARY + END) as (runtime, _):
        await talk(runtime)
        draft = await runtime.draft_compaction()
        with pytest.raises(UsageError, match="empty"):
            await runtime.apply_compaction(msgspec.structs.replace(draft, summary=" "))
        await runtime.send("one more")
        with pytest.raises(UsageError, match="went on"):
            await runtime.apply_compaction(draft)
        assert not contents(runtime.entries(), Kind.COMPACTION)


async def test_a_draft_that_would_lose_something_is_refused(tmp_path: Path) -> None:
    async with opened(tmp_path, TALK + SUMMARY + END) as (runtime, _):
        await talk(runtime)
        draft = await runtime.draft_compaction()
        last = runtime.entries()[-1].id
        with pytest.raises(UsageError, match="would be lost"):
            await runtime.apply_compaction(msgspec.structs.replace(draft, folded=(*draft.folded, last)))
        runtime.pin([draft.folded[1]])
        with pytest.raises(UsageError, match="would be lost"):
            await runtime.apply_compaction(draft)


async def test_nothing_to_fold_is_said(tmp_path: Path) -> None:
    async with opened(tmp_path, END) as (runtime, _):
        await runtime.send("hi")
        with pytest.raises(UsageError, match="nothing to fold"):
            await runtime.draft_compaction()
        assert "nothing to fold" in await runtime.compact()
        assert runtime.uncompact() is False


async def test_the_todo_list_the_words_and_the_open_question_go_on_verbatim(tmp_path: Path) -> None:
    todos = '{ content = "paint the 3rd wall", status = "pending" }'
    asking = '[[steps]]\ntext = "Shall I use oil or lime?"\n'
    script = f'[[steps]]\ncalls = [{{ name = "todo_write", args = {{ todos = [{todos}] }} }}]\n' + TALK + asking
    after = '[[steps]]\nexpect = { contains = "1. [pending] paint the 3rd wall" }\ntext = "Good."\n'
    async with opened(tmp_path, script + SUMMARY + after) as (runtime, heard):
        await runtime.send("always use the green brush")
        await talk(runtime, 12)
        assert "Summarised" in await runtime.compact()
        assert (await runtime.send("lime")).text == "Good."
        sent = heard.of(events.ContextMeasured)[-1].report
        assert any(item.category == "compaction_summary" for item in sent.items)
        (marker,) = [entry for entry in runtime.entries() if entry.kind == Kind.COMPACTION]
        assert "always use the green brush" in marker.content
        in_view = {item.id for item in runtime.context_report().entries if item.tokens}
        question = next(entry for entry in runtime.entries() if entry.content.endswith("oil or lime?"))
        assert question.id in in_view


async def test_uncompact_brings_everything_back_and_says_so(tmp_path: Path) -> None:
    script = TALK + SUMMARY + '[[steps]]\nexpect = { contains = "Answer 0." }\ntext = "All there."\n'
    async with opened(tmp_path, script) as (runtime, heard):
        await talk(runtime)
        view = [item.id for item in runtime.context_report().entries]
        await runtime.compact()
        assert [item.id for item in runtime.context_report().entries] != view
        assert runtime.uncompact() is True
        assert [item.id for item in runtime.context_report().entries] == view
        assert runtime.entries()[-1].tag == "uncompacted"
        assert heard.of(events.EntryAdded)[-1].entry.tag == "uncompacted"
        assert runtime.uncompact() is False
        session = runtime.session.id
    async with opened(tmp_path, script.replace(TALK, ""), session="resume", session_id=session) as (runtime, _):
        assert [item.id for item in runtime.context_report().entries] == view
        assert (await runtime.send("all there?")).text == "All there."


async def test_a_second_compaction_carries_the_first_on_and_is_taken_back_alone(tmp_path: Path) -> None:
    again = '[[steps]]\nwhen = { contains = "<earlier-record>" }\ntext = "BOTH RECORDS"\nrepeat = 0\n'
    async with opened(tmp_path, TALK + again + SUMMARY + END) as (runtime, _):
        await talk(runtime)
        await runtime.compact()
        await talk(runtime)
        await runtime.compact()
        markers = [entry for entry in runtime.entries() if entry.kind == Kind.COMPACTION]
        assert [one.details["summary"] for one in markers] == ["SUMMARY OF IT ALL", "BOTH RECORDS"]
        assert "question 0" in markers[1].content, "the person's earliest words go on"
        assert runtime.uncompact()
        shown = [item.id for item in runtime.context_report().entries]
        assert markers[0].id in shown
        assert markers[1].id not in shown


async def test_usage_of_a_compaction_outlives_the_process(tmp_path: Path) -> None:
    async with opened(tmp_path, TALK + SUMMARY + END) as (runtime, heard):
        await talk(runtime)
        before = runtime.usage.input
        await runtime.compact()
        assert runtime.usage.input == before + 500
        assert [event.route.purpose for event in heard.of(events.RouteDone)][-1] == "compaction"
        session = runtime.session.id
    async with opened(tmp_path, END, session="resume", session_id=session) as (runtime, _):
        assert runtime.usage.input == before + 500


async def test_an_overflow_is_answered_by_one_compaction_and_one_retry(tmp_path: Path) -> None:
    fault = '[[steps]]\nfault = { kind = "context_overflow" }\n'
    async with opened(tmp_path, TALK + fault + SUMMARY + END) as (runtime, heard):
        await talk(runtime)
        result = await runtime.send("and now?")
        assert (result.subtype, result.text, result.compactions) == ("success", "Going on.", 1)
        assert [event.trigger for event in heard.of(events.Compacted)] == ["reactive"]
    async with opened(tmp_path, TALK + fault + fault + SUMMARY + END) as (runtime, heard):
        await talk(runtime)
        result = await runtime.send("and now?")
        assert result.subtype == "error"
        assert "does not fit" in (result.error or "")
        assert len(heard.of(events.Compacted)) == 1


async def test_an_overflow_without_a_summariser_is_answered_by_cutting(tmp_path: Path) -> None:
    fault = '[[steps]]\nfault = { kind = "context_overflow" }\n'
    none = '[[steps]]\nrepeat = 0\nwhen = { system = "record of a working session" }\nfault = { kind = "invalid_request" }\n'
    async with opened(tmp_path, TALK + fault + none + END) as (runtime, heard):
        await talk(runtime)
        result = await runtime.send("and now? " + "word " * 100)
        assert result.text == "Going on."
        assert "could not be summarised" in heard.of(events.Notice)[-1].text
        assert heard.of(events.Compacted)[-1].strategy in ("structural", "emergency")
        assert not contents(runtime.entries(), Kind.COMPACTION)
