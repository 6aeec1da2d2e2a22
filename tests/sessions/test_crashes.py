"""Processes that are killed at any moment: nothing that was acknowledged is lost, nothing is half there."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from kram.base import SystemClock
from kram.messages import Entry, Kind, entry
from kram.sessions import SessionBusy, Store, restore

ROOT = Path(__file__).resolve().parents[2]
KILLS = 40


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "kram.db"


@pytest.fixture
def session(path: Path) -> str:
    with Store.open(path, SystemClock()) as store:
        made = store.create("/w").id
        store.append(made, *(entry(Kind.USER, str(number)) for number in range(4)))
        return made


def started(path: Path, session: str, mode: str, **env: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.support.store_writer", str(path), session, mode],
        cwd=ROOT,
        env={**os.environ, **env},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def assert_sound(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


def assert_nothing_lost(path: Path, session: str, told: list[str]) -> None:
    """What the dead process said is on disk is there; effects have decisions; the history is well formed."""
    assert_sound(path)
    with Store.open(path, SystemClock()) as store:
        assert store.salvaged == ""
        kept, halves = (
            {one.id for one in store.entries(session)},
            {one.entry_id: one for one in store.partials(session)},
        )
        flushed: dict[str, int] = {}
        for line in told:
            match line.split():
                case ["entry", identity]:
                    assert identity in kept
                case ["partial", identity, length]:
                    flushed[identity] = int(length)
        for identity, length in flushed.items():
            assert identity in kept or len(halves[identity].text) >= length
        effects = path.with_name(f"effects-{session}")
        for call in effects.read_text().split("\n")[:-1] if effects.exists() else []:
            assert store.decisions(session, call), "an effect without a decision"
        entries = restore(store, session)
        assert entries == store.entries(session, after_compaction=True)
        assert_well_formed(entries)
        assert store.get(session).entries == len(store.entries(session))


def assert_well_formed(entries: list[Entry]) -> None:
    calls = [one.tool_call_id for one in entries if one.kind == Kind.TOOL_CALL]
    results = [one.tool_call_id for one in entries if one.kind == Kind.TOOL_RESULT]
    assert sorted(calls) == sorted(results)
    assert len(set(calls)) == len(calls)
    assert [one.created_at for one in entries] == sorted(one.created_at for one in entries)


def test_a_writer_killed_at_random_moments_loses_nothing_it_had_acknowledged(path: Path, session: str) -> None:
    dice = random.Random()
    for _ in range(KILLS):
        with started(path, session, "turns") as writer:
            assert writer.stdout is not None
            told = [writer.stdout.readline() for _ in range(dice.randrange(1, 60))]
            writer.send_signal(signal.SIGKILL)
            told += writer.stdout.readlines()
        assert writer.returncode == -signal.SIGKILL
        assert all(line.endswith("\n") for line in told[:-1])
        assert_nothing_lost(path, session, [line for line in told if line.endswith("\n")])


@pytest.mark.parametrize(
    "point",
    [
        *(f"append:{where}:{n}" for where in ("before", "inside", "after") for n in (1, 2, 3, 4)),
        *(f"decide:{where}:{n}" for where in ("before", "inside", "after") for n in (1, 2)),
        *(f"partial:inside:{n}" for n in (1, 3)),
    ],
)
def test_a_writer_killed_at_a_named_point_leaves_a_sound_store(path: Path, session: str, point: str) -> None:
    writer = started(path, session, "turns", KRAM_CRASHPOINT=point)
    told, _ = writer.communicate(timeout=60)
    assert writer.returncode == -signal.SIGKILL
    assert_nothing_lost(path, session, told.splitlines())


@pytest.mark.parametrize(("where", "happened"), [("before", False), ("inside", False), ("after", True)])
def test_a_compaction_happens_whole_or_not_at_all(path: Path, session: str, where: str, happened: bool) -> None:
    writer = started(path, session, "compact", KRAM_CRASHPOINT=f"compact:{where}:1")
    writer.communicate(timeout=60)
    assert writer.returncode == -signal.SIGKILL
    with Store.open(path, SystemClock()) as store:
        kinds = [one.kind for one in store.entries(session, after_compaction=True)]
    assert kinds == ([Kind.COMPACTION, Kind.USER] if happened else [Kind.USER] * 4)


@pytest.mark.parametrize(("where", "happened"), [("before", False), ("inside", False), ("after", True)])
def test_taking_a_compaction_back_happens_whole_or_not_at_all(
    path: Path, session: str, where: str, happened: bool
) -> None:
    started(path, session, "compact").wait(20)
    started(path, session, "uncompact", KRAM_CRASHPOINT=f"uncompact:{where}:1").wait(20)
    assert_sound(path)
    with Store.open(path, SystemClock()) as store:
        kinds = [one.kind for one in store.entries(session, after_compaction=True)]
        assert kinds == ([Kind.USER] * 4 if happened else [Kind.COMPACTION, Kind.USER])
        noted = [one.content for one in store.entries(session) if one.tag == "uncompacted"]
        assert noted == (["back"] if happened else [])


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_fork_that_was_cut_off_is_not_there(path: Path, session: str, number: int) -> None:
    writer = started(path, session, "fork", KRAM_CRASHPOINT=f"fork:inside:{number}")
    writer.communicate(timeout=60)
    assert writer.returncode == -signal.SIGKILL
    assert_sound(path)
    with Store.open(path, SystemClock()) as store:
        assert [one.id for one in store.sessions()] == [session]


# --- two processes ------------------------------------------------------------------------------------------------------


def test_s07_a_session_has_one_writer_and_the_second_is_told_who(path: Path, session: str) -> None:
    with started(path, session, "hold") as holder, Store.open(path, SystemClock()) as store:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        before = store.entries(session)
        for attempt in (
            lambda: store.acquire(session),
            lambda: store.append(session, entry(Kind.USER, "x")),
            lambda: store.save_partial(session, "p", "x", "", ""),
            lambda: store.delete(session),
        ):
            with pytest.raises(SessionBusy, match=rf"process {holder.pid}\b.*--fork"):
                attempt()
        assert store.entries(session) == before
        assert store.fork(session).entries == len(before)
        other = store.create("/w").id
        store.append(other, entry(Kind.USER, "side by side"))
        holder.communicate("", timeout=60)
        store.append(session, entry(Kind.USER, "free now"))


def test_s07_the_lease_of_a_killed_process_blocks_nobody(path: Path, session: str) -> None:
    with started(path, session, "hold") as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        holder.kill()
        os.waitid(os.P_PID, holder.pid, os.WEXITED | os.WNOWAIT)
        # It is dead and not yet collected: its number is still taken.
        with Store.open(path, SystemClock()) as store:
            store.append(session, entry(Kind.USER, "x"))


@pytest.mark.parametrize(
    "row", [("other start", "same boot"), ("same start", "other boot")], ids=["reused number", "after a reboot"]
)
def test_a_lease_counts_only_for_that_very_process(path: Path, session: str, row: tuple[str, str]) -> None:
    with started(path, session, "hold") as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with closing(sqlite3.connect(path)) as connection, connection:
            column = "started" if row[0] == "other start" else "boot"
            connection.execute(f"UPDATE leases SET {column} = 'x'")
        with Store.open(path, SystemClock()) as store:
            store.append(session, entry(Kind.USER, "x"))
        holder.communicate("", timeout=60)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT COUNT(*) FROM leases").fetchone() == (0,)


def test_s07_many_processes_write_sessions_of_their_own_side_by_side(path: Path, session: str) -> None:
    with Store.open(path, SystemClock()) as store:
        sessions = [session, *(store.create("/w").id for _ in range(3))]
    writers = [started(path, one, "turns") for one in sessions]
    told: list[list[str]] = []
    for writer in writers:
        assert writer.stdout is not None
        told.append([writer.stdout.readline() for _ in range(120)])
    for writer, lines in zip(writers, told, strict=True):
        writer.kill()
        assert writer.stdout is not None
        lines += writer.stdout.readlines()
        writer.wait()
    for one, lines in zip(sessions, told, strict=True):
        assert len(lines) >= 120
        assert_nothing_lost(path, one, [line for line in lines if line.endswith("\n")])
