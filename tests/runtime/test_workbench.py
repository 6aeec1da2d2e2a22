"""What is in the window, item by item, and what the person decides about single items."""

from __future__ import annotations

from pathlib import Path

import pytest

from kram import events
from kram.base import UsageError
from kram.events import ContextEntry, ContextReport
from kram.messages import Kind
from kram.runtime import Runtime
from tests.support.opened import opened

READ = """
[[steps]]
calls = [{ name = "read_file", args = { path = "long.txt" } }]
[[steps]]
text = "I have read it."
[[steps]]
calls = [{ name = "read_file", args = { path = "long.txt" } }, { name = "read_file", args = { path = "short.txt" } }]
[[steps]]
text = "Again."
"""
END = '[[steps]]\nrepeat = 0\ntext = "Going on."\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "long.txt").write_text("".join(f"row {row}\n" for row in range(500)))
    (tmp_path / "ws" / "short.txt").write_text("short\n")
    return tmp_path


def results(report: ContextReport) -> list[ContextEntry]:
    return [item for item in report.entries if item.kind == Kind.TOOL_RESULT]


def sums_hold(report: ContextReport) -> None:
    """Items add up to the categories, and those to what is used."""
    for row in report.items:
        if row.category not in ("free", "response_reserve"):
            items = [item for item in report.entries if item.category == row.category]
            assert sum(item.tokens for item in items) == row.tokens, row.category
            assert sum(1 for item in items if item.tokens) == row.count, row.category
    assert report.used == sum(item.tokens for item in report.entries)


async def test_every_item_is_listed_with_the_triggers_numbers(folder: Path) -> None:
    (folder / "ws" / "AGENTS.md").write_text("Be kind.")
    async with opened(folder, READ + END, trust=True) as (runtime, heard):
        await runtime.send("read")
        await runtime.send("once more")
        report = runtime.context_report()
        sums_hold(report)
        listed = [item.id for item in report.entries if item.kind not in ("part", "tool")]
        assert listed == [entry.id for entry in runtime.entries()]
        assert {"part:base", "part:project-context", "tool:bash"} <= {item.id for item in report.entries}
        first, second, third = results(report)
        assert (first.label, first.origin) == ("read_file long.txt", "read_file")
        assert (first.age, first.last_use) == (1, 0), "the same path was read again in the latest turn"
        assert (third.age, third.last_use) == (0, 0)
        assert first.tokens == second.tokens > 500 > third.tokens
        await runtime.send("and now")
        sent = heard.of(events.ContextMeasured)[-1].report
        assert sent.entries == ()
        words = next(item for item in runtime.context_report().entries if item.label == "and now")
        answer = runtime.context_report().entries[-1]
        assert sent.used == report.used + words.tokens
        assert runtime.context_report().used == sent.used + answer.tokens


async def test_drop_and_restore_and_shorten(folder: Path) -> None:
    gone = '[[steps]]\nexpect = { contains = "left out by the person" }\ntext = "I see."\n'
    short = '[[steps]]\nexpect = { contains = "shortened event_id" }\ntext = "I see."\n'
    back = '[[steps]]\nexpect = { contains = "row 499" }\ntext = "I see."\n'
    async with opened(folder, READ.replace("short.txt", "long.txt") + gone + short + back) as (runtime, _):
        await runtime.send("read")
        await runtime.send("once more")
        whole = runtime.context_report()
        ids = [item.id for item in results(whole)]
        runtime.drop(ids)
        dropped = runtime.context_report()
        sums_hold(dropped)
        assert [item.mark for item in results(dropped)] == ["dropped"] * 3
        assert all(item.tokens < 30 and item.full_tokens > 500 for item in results(dropped))
        assert (await runtime.send("what do you see?")).text == "I see."
        runtime.shorten(ids)
        assert [item.mark for item in results(runtime.context_report())] == ["shortened"] * 3
        assert (await runtime.send("what do you see?")).text == "I see."
        runtime.restore(ids)
        assert results(runtime.context_report()) != results(dropped)
        assert [item.tokens for item in results(runtime.context_report())] == [item.tokens for item in results(whole)]
        assert (await runtime.send("what do you see?")).text == "I see."


async def test_a_dropped_call_takes_its_result_along(folder: Path) -> None:
    async with opened(folder, READ + END) as (runtime, _):
        await runtime.send("read")
        call = next(entry for entry in runtime.entries() if entry.kind == Kind.TOOL_CALL)
        runtime.drop([call.id])
        report = runtime.context_report()
        sums_hold(report)
        assert [item.tokens for item in report.entries if item.kind in (Kind.TOOL_CALL, Kind.TOOL_RESULT)] == [0, 0]
        assert len(runtime.entries()) == 4, "the session keeps everything"


async def test_marks_are_kept_with_the_session_and_go_along_with_a_copy(folder: Path) -> None:
    async with opened(folder, READ + END) as (runtime, _):
        await runtime.send("read")
        ids = [entry.id for entry in runtime.entries()]
        runtime.pin([ids[0]])
        runtime.drop([ids[2]])
        runtime.fork()
        assert {item.id: item.mark for item in runtime.context_report().entries if item.mark} == {
            ids[0]: "pinned",
            ids[2]: "dropped",
        }
        session = runtime.session.id
    async with opened(folder, END, session="resume", session_id=session) as (runtime, _):
        marks = [item.mark for item in runtime.context_report().entries if item.mark]
        assert marks == ["pinned", "dropped"]


async def test_what_cannot_be_marked(folder: Path) -> None:
    async with opened(folder, READ + END) as (runtime, _):
        await runtime.send("read")
        with pytest.raises(UsageError, match="nobody"):
            runtime.pin(["nobody"])
        with pytest.raises(UsageError, match="last message"):
            runtime.drop([runtime.entries()[0].id])
        assert not any(item.mark for item in runtime.context_report().entries)


async def test_the_cache_price_is_what_comes_behind_the_first_of_them(folder: Path) -> None:
    async with opened(folder, READ + END) as (runtime, _):
        await runtime.send("read")
        await runtime.send("once more")
        items = [item for item in runtime.context_report().entries if item.kind not in ("part", "tool")]
        price = behind(items, 2)
        assert runtime.cache_price([items[2].id]) == price > 0
        assert runtime.cache_price([items[5].id, items[2].id]) == price
        assert runtime.cache_price([items[-1].id]) == 0
        assert runtime.cache_price([]) == 0


def behind(items: list[ContextEntry], at: int) -> int:
    return sum(item.tokens for item in items[at + 1 :])


async def test_a_pinned_item_survives_what_it_would_not_have_survived(folder: Path) -> None:
    talk = "".join(f'[[steps]]\ntext = "Answer {number}."\n' for number in range(12))
    summary = '[[steps]]\nrepeat = 0\nwhen = { system = "record of a working session" }\ntext = "SUM"\n'
    async with opened(folder, READ + talk + summary + END) as (runtime, _):
        await runtime.send("read")
        pinned = next(entry for entry in runtime.entries() if entry.kind == Kind.TOOL_RESULT)
        runtime.pin([pinned.id])
        await chatter(runtime)
        assert "Summarised" in await runtime.compact()
        item = next(item for item in runtime.context_report().entries if item.id == pinned.id)
        assert item.tokens == item.full_tokens > 500
        call = next(item for item in runtime.context_report().entries if item.kind == Kind.TOOL_CALL)
        assert call.tokens, "its call stays with it"


async def chatter(runtime: Runtime) -> None:
    for number in range(13):
        await runtime.send(f"question {number}")
