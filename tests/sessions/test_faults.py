"""Disks that are full, files that are damaged, locked or read-only, formats that are older or newer."""

from __future__ import annotations

import os
import random
import resource
import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from kram.base import SystemClock
from kram.messages import Kind, entry
from kram.sessions import DamagedStore, SessionInfo, Store, StoreError
from kram.sessions.schema import MIGRATIONS, VERSION

ROOT = Path(__file__).resolve().parents[2]
NOBODY = 65534


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "kram.db"


def filled(path: Path, sessions: int = 3, entries: int = 40) -> list[SessionInfo]:
    with Store.open(path, SystemClock()) as store:
        for number in range(sessions):
            made = store.create("/w", f"session {number}")
            store.append(made.id, *(entry(Kind.USER, f"{number}.{index} " + "text " * 60) for index in range(entries)))
            store.add_prompt("/w", f"prompt {number}")
        return store.sessions()


def writer(path: Path, session: str, mode: str, before: Callable[[], None]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.support.store_writer", str(path), session, mode],
        cwd=ROOT,
        preexec_fn=before,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def readable(path: Path) -> int:
    """How many entries can be read by opening the store as kram does."""
    with Store.open(path, SystemClock()) as store:
        return sum(one.tag != "damaged" for info in store.sessions() for one in store.entries(info.id))


# --- disk ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("room", [1_000, 5_000, 20_000, 40_000, 100_000, 300_000])
def test_s01_a_full_disk_is_told_and_harms_nothing_that_was_stored(path: Path, room: int) -> None:
    session = filled(path)[0].id
    before = readable(path)
    limit = path.stat().st_size + room

    done = writer(path, session, "full", lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))

    told = [line.split(maxsplit=1) for line in done.stdout.splitlines()]
    assert [kind for kind, _ in told].count("refused") == 5, done.stderr
    for kind, text in told:
        assert kind == "entry" or ("disk" in text and "unharmed" in text and str(path) in text)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    stored = [text for kind, text in told if kind == "entry"]
    with Store.open(path, SystemClock()) as store:
        assert {one.id for one in store.entries(session)} >= set(stored)
        store.append(session, entry(Kind.USER, "room again"))
    assert readable(path) == before + len(stored) + 1


def test_s02_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    setpriv = shutil.which("setpriv")
    if os.geteuid() == 0 and setpriv is None:
        pytest.skip("root can write everywhere, and there is no setpriv")
    session = filled(tmp_path / "kram.db")[0].id
    code = (
        "import sys, pathlib; from kram.base import SystemClock; from kram.sessions import Store, StoreError\n"
        "from kram.messages import Kind, entry\n"
        "try:\n"
        "    store = Store.open(pathlib.Path(sys.argv[1]), SystemClock())\n"
        f"    store.append({session!r}, entry(Kind.USER, 'x'))\n"
        "except StoreError as failure: print(failure.text())"
    )
    argv = [sys.executable, "-c", code, str(tmp_path / "kram.db")]
    if setpriv and os.geteuid() == 0:
        for place in (tmp_path, *tmp_path.iterdir()):
            os.chown(place, NOBODY, NOBODY)
        argv = [setpriv, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *argv]
    (tmp_path / "kram.db").chmod(0o400)
    tmp_path.chmod(0o500)
    for folder in tmp_path.parents:
        if folder.stat().st_uid == os.geteuid() and folder.is_relative_to("/tmp/pytest-of-root"):
            folder.chmod(folder.stat().st_mode | 0o011)
    try:
        done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    finally:
        tmp_path.chmod(0o700)
    assert "KRAM_DATA_DIR" in done.stdout, done.stderr
    assert "writable" in done.stdout
    assert str(tmp_path) in done.stdout


def test_s02_a_folder_of_someone_else_is_refused(tmp_path: Path) -> None:
    setpriv = shutil.which("setpriv")
    if os.geteuid() != 0 or setpriv is None:
        pytest.skip("needs another user")
    code = (
        "import sys, pathlib; from kram.base import SystemClock; from kram.sessions import Store, StoreError\n"
        "try: Store.open(pathlib.Path(sys.argv[1]), SystemClock())\n"
        "except StoreError as failure: print(failure.text())"
    )
    shared = Path("/tmp") / f"kram-test-{tmp_path.name}-{os.getpid()}"
    shared.mkdir()
    shared.chmod(0o777)
    try:
        argv = [setpriv, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", sys.executable, "-c", code]
        done = subprocess.run(
            [*argv, str(shared / "kram.db")], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
        )
        assert "belongs to another user" in done.stdout, done.stderr
        assert list(shared.iterdir()) == []
    finally:
        shutil.rmtree(shared)


def test_a_path_that_is_a_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "kram.db").mkdir()
    with pytest.raises(StoreError, match=r"kram\.db"):
        Store.open(tmp_path / "kram.db", SystemClock())


# --- locks --------------------------------------------------------------------------------------------------------------


def test_s03_a_lock_that_ends_is_waited_for(path: Path) -> None:
    session = filled(path)[0].id
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    with Store.open(path, SystemClock()) as store:
        timer = threading.Timer(0.2, lambda: other.execute("COMMIT"))
        timer.start()
        store.append(session, entry(Kind.USER, "after the wait"))
        timer.join()
        assert store.tail(session, 1)[0].content == "after the wait"
    other.close()


def test_s03_a_lock_that_stays_is_told_and_nothing_is_lost(path: Path) -> None:
    session = filled(path)[0].id
    before = readable(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as other, Store.open(path, SystemClock()) as store:
        store.acquire(session)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"locked.*Another program holds the file"):
            store.append(session, entry(Kind.USER, "x"))
        other.execute("COMMIT")
        store.append(session, entry(Kind.USER, "y"))
    assert readable(path) == before + 1


# --- damage -------------------------------------------------------------------------------------------------------------


def aside(path: Path) -> list[Path]:
    return sorted(path.parent.glob("kram-damaged-20*.db"))


def zero_header(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(bytes(100))


def garbage(path: Path) -> None:
    path.write_bytes(random.Random(1).randbytes(20_000))


def halve(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


@pytest.mark.parametrize("harm", [zero_header, garbage, halve])
def test_s04_a_store_that_is_no_longer_one_is_set_aside_and_kram_starts(
    path: Path, harm: Callable[[Path], None]
) -> None:
    filled(path)
    harm(path)
    bytes_before = path.read_bytes()
    with Store.open(path, SystemClock()) as store:
        assert "damaged" in store.salvaged
        (old,) = aside(path)
        assert old.name in store.salvaged
        assert old.read_bytes() == bytes_before
        fresh = store.create("/w")
        store.append(fresh.id, entry(Kind.USER, "on we go"))
    with Store.open(path, SystemClock()) as again:
        assert again.salvaged == ""
        assert again.entries(fresh.id)[0].content == "on we go"


def test_s04_one_bad_page_costs_what_was_on_it_and_nothing_else(path: Path) -> None:
    """Every page in turn: kram starts now or after one restart, and nearly everything is still there."""
    sessions = filled(path, sessions=3, entries=60)
    whole = path.read_bytes()
    pages, size = divmod(len(whole), 4096)[0], 4096
    total = 180
    worst = total
    for page in range(1, pages):
        for stale in path.parent.iterdir():
            stale.unlink()
        path.write_bytes(whole[: page * size] + b"\xff" * size + whole[(page + 1) * size :])
        try:
            found = readable(path)
        except DamagedStore as failure:
            assert "Start kram again" in failure.text()
            found = readable(path)
        assert found <= total
        worst = min(worst, found)
        with Store.open(path, SystemClock()) as store:
            kept = {info.id for info in store.sessions()}
            made = store.create("/w")
            store.append(made.id, entry(Kind.USER, "x"))
        assert kept >= {info.id for info in sessions} or found < total
    # The page that is lost costs at most its rows, unless it is the one that says where a table's rows are.
    assert worst >= total * 3 // 4 or worst == 0


@pytest.mark.parametrize("seed", range(60))
def test_s04_a_flipped_byte_anywhere_never_keeps_kram_from_starting(path: Path, seed: int) -> None:
    filled(path)
    dice = random.Random(seed)
    content = bytearray(path.read_bytes())
    content[dice.randrange(len(content))] ^= 1 << dice.randrange(8)
    path.write_bytes(content)
    try:
        readable(path)
    except DamagedStore:
        readable(path)
    except StoreError as failure:
        # The byte that says the format: a file of a newer kram is not touched.
        assert "newer kram" in failure.text()
        assert path.read_bytes() == bytes(content)
        return
    with Store.open(path, SystemClock()) as store:
        store.append(store.create("/w").id, entry(Kind.USER, "x"))


@pytest.mark.parametrize("side", ["-wal", "-shm", "both"])
def test_s04_lost_side_files_cost_no_more_than_what_was_in_them(path: Path, side: str) -> None:
    session = filled(path)[0].id
    with Store.open(path, SystemClock()) as store:
        store.append(session, entry(Kind.USER, "in the log"))
        for name in ("-wal", "-shm") if side == "both" else (side,):
            shutil.copy(path, path.with_name("copy.db"))
            for suffix in ("-wal", "-shm"):
                shutil.copy(f"{path}{suffix}", f"{path.with_name('copy.db')}{suffix}")
            path.with_name(f"copy.db{name}").unlink()
    assert readable(path.with_name("copy.db")) >= 120


def test_a_log_of_another_store_does_not_keep_kram_from_starting(path: Path, tmp_path: Path) -> None:
    filled(path)
    other = tmp_path / "other" / "kram.db"
    with Store.open(other, SystemClock()) as store:
        session = store.create("/v").id
        store.append(session, *(entry(Kind.USER, "not ours " * 200) for _ in range(20)))
        store.append(session, entry(Kind.USER, "not ours"))
        shutil.copy(f"{other}-wal", f"{path}-wal")
    try:
        readable(path)
    except DamagedStore:
        readable(path)
    with Store.open(path, SystemClock()) as store:
        made = store.create("/w").id
        store.append(made, entry(Kind.USER, "x"))
        assert store.tail(made, 1)[0].content == "x"


def test_content_that_is_no_json_any_more_is_shown_as_such_in_its_place(path: Path) -> None:
    session = filled(path, sessions=1, entries=3)[0].id
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE entries SET body = X'7B22FF' WHERE seq = 2")
    with Store.open(path, SystemClock()) as store:
        entries = store.entries(session)
        assert [one.tag for one in entries] == ["", "damaged", ""]
        assert entries == store.tail(session, 3)
        assert [one.created_at for one in entries] == sorted(one.created_at for one in entries)


def test_two_processes_that_find_the_damage_at_once_repair_it_once(path: Path) -> None:
    filled(path)
    with path.open("r+b") as file:
        file.seek(4096 * 3)
        file.write(b"\xff" * 4096)
    code = (
        "import sys, pathlib; from kram.base import SystemClock; from kram.sessions import Store\n"
        "sys.stdin.readline(); print(len(Store.open(pathlib.Path(sys.argv[1]), SystemClock()).sessions()))"
    )
    started = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(path)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(4)
    ]
    for one in started:
        assert one.stdin is not None
        one.stdin.write("go\n")
        one.stdin.flush()
    answers = {one.communicate(timeout=60)[0] for one in started}
    assert len(answers) == 1
    assert len(aside(path)) <= 1


# --- formats ------------------------------------------------------------------------------------------------------------


def store_of_format(path: Path, version: int) -> None:
    """A store as that version wrote it, with one session of two entries."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        for statements in MIGRATIONS[:version]:
            for statement in statements:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {version}")
        connection.execute(
            "INSERT INTO sessions (id, title, workspace, created_at, updated_at) VALUES ('ses_1', 'Old', '/w', 1, 2)"
        )
        for number in (1, 2):
            body = f'{{"id":"e{number}","kind":"user","content":"old {number}","created_at":{number}}}'
            connection.execute(
                "INSERT INTO entries (session_id, id, kind, created_at, body) VALUES ('ses_1', ?, 'user', ?, ?)",
                (f"e{number}", number, body.encode()),
            )
        connection.execute("INSERT INTO states VALUES ('/w', 'draft', '\"half\"')")
        if version >= 2:
            connection.execute("UPDATE sessions SET entry_count = 2")


def tables(path: Path) -> set[tuple[str, str]]:
    with closing(sqlite3.connect(path)) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {(name, column[1]) for name in names for column in connection.execute(f"PRAGMA table_info({name})")}


@pytest.mark.parametrize("version", range(1, VERSION))
def test_an_older_store_is_brought_forward_and_kept_as_it_was(path: Path, tmp_path: Path, version: int) -> None:
    store_of_format(path, version)
    with Store.open(path, SystemClock()) as store:
        (info,) = store.sessions("/w")
        assert (info.title, info.entries) == ("Old", 2)
        assert [one.content for one in store.entries("ses_1")] == ["old 1", "old 2"]
        assert store.draft("/w") == "half"
        store.append("ses_1", entry(Kind.USER, "new"))
        assert store.get("ses_1").entries == 3
    fresh = tmp_path / "fresh.db"
    Store.open(fresh, SystemClock()).close()
    assert tables(path) == tables(fresh)
    backup = path.with_name(f"kram-format-{version}.db")
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    with closing(sqlite3.connect(backup)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (version,)
        assert connection.execute("SELECT COUNT(*) FROM entries").fetchone() == (2,)


@pytest.mark.parametrize("statement", range(1, len(MIGRATIONS[-1]) + 1))
def test_a_migration_that_was_cut_off_is_done_again_from_its_beginning(path: Path, statement: int) -> None:
    store_of_format(path, VERSION - 1)
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.store_writer", str(path), "ses_1", "hold"],
        cwd=ROOT,
        env={**os.environ, "KRAM_CRASHPOINT": f"migrate:inside:{statement}"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == -9
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (VERSION - 1,)
    assert readable(path) == 2


def test_many_processes_may_open_a_new_store_at_once(path: Path) -> None:
    code = (
        "import sys, pathlib; from kram.base import SystemClock; from kram.sessions import Store\n"
        "sys.stdin.readline()\n"
        "with Store.open(pathlib.Path(sys.argv[1]), SystemClock()) as store: print(store.create('/w').id)"
    )
    started = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(path)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(6)
    ]
    for one in started:
        assert one.stdin is not None
        one.stdin.write("go\n")
        one.stdin.flush()
    made = {one.communicate(timeout=60)[0].strip() for one in started}
    with Store.open(path, SystemClock()) as store:
        assert {store.get(one).id for one in made} == made
        assert len(made) == 6


def test_a_store_of_a_newer_kram_is_refused_and_left_alone(path: Path) -> None:
    filled(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"newer kram.*Update kram"):
        Store.open(path, SystemClock())
    assert path.read_bytes() == before
    assert aside(path) == []
