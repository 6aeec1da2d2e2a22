"""Who writes a summary, of how much at once, and what a turn does when there is none to be had."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from kram import events
from kram.messages import Kind
from kram.runtime import Options, Runtime
from tests.support.opened import Heard, ScriptedUser

CONFIG = """
default_combo = "main"
[context]
summary_combo = "{summary_combo}"
tail_messages = 2
reserve = {reserve}
[providers.a]
kind = "script"
script = "{folder}/a.toml"
[providers.a.models.m]
context_window = {window}
[providers.b]
kind = "script"
script = "{folder}/b.toml"
[providers.b.models.m]
context_window = {other_window}
[combos.main]
candidates = ["a/m"]
[combos.other]
candidates = ["b/m"]
"""
SYSTEM = 'when = { system = "record of a working session" }'
TALK = '[[steps]]\nrepeat = 0\ntext = "Answer."\n'
REFUSES = f'[[steps]]\nrepeat = 0\n{SYSTEM}\nfault = {{ kind = "invalid_request", message = "no" }}\n'


def writes(text: str, more: str = "") -> str:
    return f'[[steps]]\nrepeat = 0\n{more or SYSTEM}\ntext = "{text}"\n'


@asynccontextmanager
async def configured(
    folder: Path,
    a: str,
    b: str = TALK,
    *,
    summary_combo: str = "",
    window: int = 200_000,
    other: int = 0,
    reserve: int = 0,
) -> AsyncIterator[tuple[Runtime, Heard]]:
    (folder / "a.toml").write_text("version = 1\n" + a)
    (folder / "b.toml").write_text("version = 1\n" + b)
    (folder / "ws").mkdir()
    config = folder / "home" / "config"
    config.mkdir(parents=True)
    (config / "config.toml").write_text(
        CONFIG.format(
            folder=folder, summary_combo=summary_combo, window=window, other_window=other or window, reserve=reserve
        )
    )
    env = {"KRAM_HOME": str(folder / "home")}
    runtime = await Runtime.open(folder / "ws", Options(), user=ScriptedUser(), env=env)
    try:
        yield runtime, Heard(runtime)
    finally:
        await runtime.close()


def compactions(heard: Heard) -> list[str]:
    return [event.route.winner for event in heard.of(events.RouteDone) if event.route.purpose == "compaction"]


async def talk(runtime: Runtime, turns: int, size: int = 0) -> None:
    for number in range(turns):
        await runtime.send(f"question {number} " + f"word{number} " * size)


def summary_of(runtime: Runtime) -> str:
    (marker,) = [one for one in runtime.entries() if one.kind == Kind.COMPACTION]
    return str(marker.details["summary"])


async def test_the_combo_for_summaries_writes_them(tmp_path: Path) -> None:
    async with configured(tmp_path, TALK, writes("BY B"), summary_combo="other") as (runtime, heard):
        await talk(runtime, 4)
        await runtime.compact()
        assert compactions(heard) == ["b/m"]
        assert summary_of(runtime) == "BY B"


async def test_where_it_fails_the_sessions_own_does(tmp_path: Path) -> None:
    own = writes("BY A") + TALK
    async with configured(tmp_path, own, REFUSES, summary_combo="other") as (runtime, heard):
        await talk(runtime, 4)
        await runtime.compact()
        assert compactions(heard) == ["", "a/m"]
        assert summary_of(runtime) == "BY A"


async def test_a_blank_summary_is_asked_for_once_more(tmp_path: Path) -> None:
    blank = f'[[steps]]\n{SYSTEM}\ntext = " "\n'
    async with configured(tmp_path, blank + writes("SECOND TRY") + TALK) as (runtime, _):
        await talk(runtime, 4)
        await runtime.compact()
        assert summary_of(runtime) == "SECOND TRY"
    (tmp_path / "two").mkdir()
    async with configured(tmp_path / "two", writes(" ") + TALK) as (runtime, _):
        await talk(runtime, 4)
        assert "could not be summarised" in await runtime.compact()


async def test_a_transcript_longer_than_the_writers_window_is_written_in_parts_and_merged(tmp_path: Path) -> None:
    merge = writes("THE WHOLE", 'when = { contains = "<record-2>" }')
    writer = merge + writes("A PART")
    async with configured(tmp_path, TALK, writer, summary_combo="other", other=6_000) as (runtime, heard):
        await talk(runtime, 6, 500)
        await runtime.compact("the words")
        assert len(compactions(heard)) >= 3
        assert summary_of(runtime) == "THE WHOLE"


async def test_a_writer_that_overflows_gets_less_at_once(tmp_path: Path) -> None:
    overflow = f'[[steps]]\n{SYSTEM}\nfault = {{ kind = "context_overflow" }}\n'
    merge = writes("THE WHOLE", 'when = { contains = "<record-2>" }')
    twice = overflow + overflow + merge + writes("A PART") + TALK
    async with configured(tmp_path, twice, summary_combo="other", b=twice, other=14_000) as (runtime, heard):
        await talk(runtime, 7, 600)
        await runtime.compact()
        # In two parts; then twice the half of that, in four; then what they came to as one.
        assert compactions(heard)[:2] == ["", ""]
        assert len(compactions(heard)) > 4
        assert summary_of(runtime) == "THE WHOLE"


async def test_a_turn_tries_at_most_three_times_and_goes_on_without(tmp_path: Path) -> None:
    call = "".join(
        f'[[steps]]\ncalls = [{{ name = "glob_files", args = {{ pattern = "*{number}" }} }}]\n' for number in range(6)
    )
    async with configured(
        tmp_path, REFUSES + TALK.replace("repeat = 0", "repeat = 8") + call + TALK, window=12_000
    ) as (
        runtime,
        heard,
    ):
        await talk(runtime, 8, 600)
        result = await runtime.send("now work " + "word " * 600)
        assert result.subtype == "success", result.error
        assert result.compactions == 0
        routes = [event.route for event in heard.of(events.RouteDone)]
        tries = Counter(route.turn for route in routes if route.purpose == "compaction")
        assert tries
        assert max(tries.values()) <= 3
        assert not [one for one in runtime.entries() if one.kind == Kind.COMPACTION]


async def test_stopping_in_the_middle_of_a_summary_changes_nothing(tmp_path: Path) -> None:
    hangs = f'[[steps]]\n{SYSTEM}\nfault = {{ kind = "hang" }}\n'
    async with configured(tmp_path, hangs + TALK) as (runtime, heard):
        await talk(runtime, 4)
        before = runtime.entries()
        folding = asyncio.ensure_future(runtime.compact())
        await heard.until(lambda event: isinstance(event, events.RouteStarted) and event.purpose == "compaction")
        folding.cancel()
        await asyncio.wait([folding])
        assert folding.cancelled()
        assert runtime.entries() == before
        assert not runtime.busy


async def test_the_reserve_that_was_asked_for_is_kept_free(tmp_path: Path) -> None:
    async with configured(tmp_path, TALK, reserve=3_000, window=32_000) as (runtime, _):
        report = runtime.context_report()
        assert report.reserve == 3_000
        assert report.history == 32_000 - 3_000 - report.used
