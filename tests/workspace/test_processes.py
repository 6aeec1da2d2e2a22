"""Background processes: their output by place, their input, waiting for them, and their end with all they started."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from kram.base import SystemClock
from kram.base.spawn import SpawnFailed, spawn
from kram.workspace import BadPattern, Processes, ProcessInfo, ProcessProblem
from kram.workspace.processes import MAX_RUNNING
from kram.workspace.ring import Ring
from tests.support.processes import living_with, until

PATIENT_S = 30.0


@pytest.fixture
def changes() -> list[ProcessInfo]:
    return []


@pytest.fixture
async def processes(changes: list[ProcessInfo]) -> AsyncIterator[Processes]:
    made = Processes(SystemClock(), changes.append)
    yield made
    await made.close()


async def ended(processes: Processes, process_id: str) -> ProcessInfo:
    assert (await processes.wait(process_id, "", PATIENT_S)).outcome == "ended"
    return processes.get(process_id)


async def test_a_process_is_followed_from_start_to_end(
    processes: Processes, changes: list[ProcessInfo], tmp_path: Path
) -> None:
    info = await processes.start("echo one; pwd", tmp_path)
    assert (info.id, info.state, info.command) == ("bg1", "running", "echo one; pwd")
    info = await ended(processes, "bg1")
    assert (info.state, info.exit_code) == ("exited", 0)
    assert info.ended_at_ns >= info.started_at_ns
    assert processes.output("bg1").text == f"one\n{tmp_path}\n"
    assert [change.state for change in changes] == ["running", "exited"]


@pytest.mark.parametrize(("text", "code"), [("exit 3", 3), ("kill -9 $$", -9)])
async def test_t12_a_bad_end_is_a_failure(text: str, code: int, processes: Processes, tmp_path: Path) -> None:
    await processes.start(text, tmp_path)
    info = await ended(processes, "bg1")
    assert (info.state, info.exit_code) == ("failed", code)


async def test_output_is_read_on_from_a_place(processes: Processes, tmp_path: Path) -> None:
    await processes.start("echo one; read line; echo $line; read line", tmp_path)
    first = await processes.follow("bg1", 0)
    assert first.text == "one\n"
    await processes.write("bg1", "two\n")
    second = await processes.follow("bg1", first.next_cursor)
    assert second.text == "two\n"
    assert processes.output("bg1", second.next_cursor).text == ""
    assert processes.output("bg1").text == "one\ntwo\n"
    await processes.write("bg1", "", close=True)
    await ended(processes, "bg1")
    with pytest.raises(ProcessProblem, match="has ended"):
        await processes.write("bg1", "more")


async def test_t12_only_the_last_half_megabyte_of_a_flood_is_retained(processes: Processes, tmp_path: Path) -> None:
    await processes.start("head -c 3000000 /dev/zero | tr '\\0' a; printf end", tmp_path)
    info = await ended(processes, "bg1")
    assert (info.total_bytes, info.retained_bytes) == (3_000_003, 500_000)
    latest = processes.output("bg1")
    assert latest.text.endswith("aaend")
    assert latest.lost
    from_start = processes.output("bg1", 0)
    assert from_start.lost
    assert from_start.cursor == 2_500_003
    assert from_start.more
    assert not processes.output("bg1", latest.cursor).lost


async def test_paging_gives_every_character_once(processes: Processes, tmp_path: Path) -> None:
    await processes.start("for i in $(seq 200); do printf 'äöü€😀%s' $i; done", tmp_path)
    await ended(processes, "bg1")
    said, cursor = "", 0
    while True:
        part = processes.output("bg1", cursor, limit=7)
        said += part.text
        cursor = part.next_cursor
        if not part.more:
            break
    assert said == "".join(f"äöü€😀{i}" for i in range(1, 201))


async def test_waiting_sees_what_was_said_before_and_what_comes(processes: Processes, tmp_path: Path) -> None:
    await processes.start("echo starting; read x; echo listening on 80; read x", tmp_path)
    assert (await processes.wait("bg1", "^start", PATIENT_S)).line == "starting"
    async with asyncio.TaskGroup() as group:
        waiting = group.create_task(processes.wait("bg1", r"LISTENING on (\d+)", PATIENT_S, ignore_case=True))
        await processes.write("bg1", "\n")
    assert waiting.result().outcome == "matched"
    assert waiting.result().line == "listening on 80"


async def test_waiting_sees_an_unfinished_line(processes: Processes, tmp_path: Path) -> None:
    await processes.start("printf 'Your name: '; read x", tmp_path)
    assert (await processes.wait("bg1", "name: $", PATIENT_S)).outcome == "matched"


async def test_waiting_ends_with_the_process_or_the_time(processes: Processes, tmp_path: Path) -> None:
    await processes.start("echo no", tmp_path)
    assert (await processes.wait("bg1", "yes", PATIENT_S)).outcome == "ended"
    await processes.start("sleep 600", tmp_path)
    assert (await processes.wait("bg2", "yes", 0.2)).outcome == "timeout"
    with pytest.raises(BadPattern):
        await processes.wait("bg2", "(", 1)


async def test_a_pattern_without_end_stops_neither_the_loop_nor_lives_on(processes: Processes, tmp_path: Path) -> None:
    await processes.start("echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!; read x", tmp_path)
    await processes.wait("bg1", "!", PATIENT_S)
    turns = 0
    async with asyncio.TaskGroup() as group:
        waiting = group.create_task(processes.wait("bg1", "(a+)+$", 1.0))
        while not waiting.done():
            turns += 1
            await asyncio.sleep(0.01)
    assert waiting.result().outcome == "timeout"
    assert turns > 10
    assert not living_with("line_matcher.py")


async def test_killing_ends_everything_it_started(
    processes: Processes, changes: list[ProcessInfo], tmp_path: Path
) -> None:
    marker = f"kramtest{uuid.uuid4().hex}"
    await processes.start(f"setsid bash -c '(exec -a {marker} sleep 600) & exit'; exec -a {marker} sleep 600", tmp_path)
    await until(lambda: len(living_with(marker)) >= 2)
    info = await processes.kill("bg1")
    assert info.state == "killed"
    assert not living_with(marker)
    assert await processes.kill("bg1") == info
    assert [change.state for change in changes] == ["running", "killed"]


async def test_it_runs_as_long_as_one_of_its_family_does(processes: Processes, tmp_path: Path) -> None:
    await processes.start("(read x < pipe; echo late) & exit 4", tmp_path)
    import os

    os.mkfifo(tmp_path / "pipe")
    await processes.kill("bg1")
    await processes.start("(read x < pipe; echo late) & exit 4", tmp_path)
    await until(lambda: processes.get("bg2").exit_code == 4)
    assert processes.get("bg2").running
    await asyncio.to_thread((tmp_path / "pipe").write_text, "go\n")
    info = await ended(processes, "bg2")
    assert info.state == "failed"
    assert processes.output("bg2").text == "late\n"


async def test_a_child_is_adopted_with_the_output_to_come(processes: Processes, tmp_path: Path) -> None:
    child = await spawn("(sleep 0.2; echo later) & echo now", cwd=tmp_path)
    assert await child.read() == b"now\n"
    await child.wait()
    info = processes.adopt("…", tmp_path, child)
    await ended(processes, info.id)
    assert processes.output(info.id).text == "later\n"


async def test_there_is_a_limit_to_how_many(processes: Processes, tmp_path: Path) -> None:
    for _ in range(MAX_RUNNING):
        await processes.start("sleep 600", tmp_path)
    with pytest.raises(ProcessProblem, match="16 background processes"):
        await processes.start("sleep 600", tmp_path)
    await processes.kill("bg3")
    assert (await processes.start("true", tmp_path)).id == "bg17"


async def test_unknown_ids_and_impossible_starts_say_so(processes: Processes, tmp_path: Path) -> None:
    with pytest.raises(ProcessProblem, match="no background process 'bg7'"):
        processes.output("bg7")
    with pytest.raises(SpawnFailed, match="working directory"):
        await processes.start("true", tmp_path / "gone")
    assert processes.list() == []


async def test_closing_ends_them_all(changes: list[ProcessInfo], tmp_path: Path) -> None:
    marker = f"kramtest{uuid.uuid4().hex}"
    processes = Processes(SystemClock(), changes.append)
    for _ in range(3):
        await processes.start(f"(exec -a {marker} sleep 600) & wait", tmp_path)
    await processes.close()
    assert not living_with(marker)
    assert {info.state for info in processes.list()} == {"killed"}


def test_a_ring_keeps_places_and_no_more_than_it_should() -> None:
    ring = Ring(10)
    ring.append(b"0123456")
    assert (ring.start, ring.end) == (0, 7)
    for number in range(7, 1_000):
        ring.append(b"%d" % (number % 10))
    assert (ring.start, ring.end) == (990, 1_000)
    assert ring.read(990, 100) == b"0123456789"
    assert ring.read(995, 3) == b"567"
    ring.append(b"x" * 50)
    assert ring.read(ring.start, 100) == b"x" * 10
