"""A damaged store is set aside, never deleted; what can still be read moves into a new one.

A whole check costs time in proportion to the file, so a large store is checked only where something is suspicious: it was
not closed properly, or a read failed earlier (see `connection.check_mark`).
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from .connection import check_mark, connect, error_code

ALWAYS_CHECKED_BYTES = 16_000_000
MAX_PROBES = 100_000
"""How many row numbers are tried one by one where a page in the middle cannot be read."""

BY_NUMBER = ("entries", "decisions", "routes", "prompts", "facts")
BY_NAME = ("sessions", "states", "partials")


def is_damaged(path: Path) -> bool:
    """Whether SQLite finds the file unusable. A store that is locked or cannot be reached is not damaged."""
    if not path.exists() or path.stat().st_size == 0:
        return False
    marked, (log, _) = check_mark(path).exists(), _side_files(path)
    left_open = log.exists() and log.stat().st_size > 0
    if not marked and not left_open and path.stat().st_size > ALWAYS_CHECKED_BYTES:
        return False
    try:
        with closing(_opened(path)) as connection:
            check = "integrity_check(1)" if marked else "quick_check(1)"
            (verdict,) = connection.execute(f"PRAGMA {check}").fetchone()
    except sqlite3.DatabaseError as failure:
        return error_code(failure) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
    except UnicodeDecodeError:
        # SQLite's own words about a damaged schema quote its bytes.
        return True
    if verdict == "ok" and marked:
        check_mark(path).unlink(missing_ok=True)
    return str(verdict) != "ok"


def repair(path: Path, now_ns: int) -> str:
    """Fills a new store with what can be read and puts it in the old one's place, which keeps existing under a dated name.

    Returns what the person is told, "" where another kram did it meanwhile. The path never leads nowhere in between: another
    process sees the damaged store, and waits here, or the new one.
    """
    with _alone(path):
        if not is_damaged(path):
            return ""
        new = path.with_name(f"{path.name}.new")
        for half in (new, *_side_files(new)):
            half.unlink(missing_ok=True)
        with closing(connect(new)) as fresh:
            saved = salvage(path, fresh)
        aside = _swap(path, new, now_ns)
        check_mark(path).unlink(missing_ok=True)
    return f"The session store was damaged. {saved} rows were saved into a new one; the old file is {aside.name}."


def _swap(path: Path, new: Path, now_ns: int) -> Path:
    """Keeps the old file and its log under a dated name that is free, and puts the new one in its place."""
    stamp = datetime.fromtimestamp(now_ns / 1e9, UTC).strftime("%Y-%m-%dT%H-%M-%SZ")
    names = (f"{path.stem}-damaged-{stamp}{number}{path.suffix}" for number in ("", *(f"-{n}" for n in range(2, 1000))))
    aside = next(candidate for name in names if not (candidate := path.with_name(name)).exists())
    try:
        os.link(path, aside)
    except OSError:
        # A file system without hard links: for a moment there is no store.
        path.rename(aside)
    for old, kept in zip(_side_files(path), _side_files(aside), strict=True):
        with suppress(FileNotFoundError):
            old.rename(kept)
    new.replace(path)
    return aside


def _side_files(path: Path) -> tuple[Path, Path]:
    return path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")


def _opened(path: Path) -> sqlite3.Connection:
    """As it is: nothing is made, nothing is migrated."""
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, isolation_level=None)
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    return connection


def salvage(damaged: Path, fresh: sqlite3.Connection) -> int:
    """Copies every row that can be read and returns how many. Sessions whose head is lost get a new one."""
    saved = 0
    fresh.execute("PRAGMA foreign_keys = OFF")
    with (
        suppress(sqlite3.Error),
        closing(sqlite3.connect(f"{damaged.absolute().as_uri()}?mode=rw", uri=True)) as source,
    ):
        source.text_factory = lambda raw: raw.decode("utf-8", "replace")
        for table in (*BY_NAME, *BY_NUMBER):
            rows = _all_rows(source, table) if table in BY_NUMBER else _rows(source, f"SELECT * FROM {table}")
            saved += _insert(fresh, table, rows)
    fresh.execute(
        "INSERT OR IGNORE INTO sessions (id, title, workspace, created_at, updated_at) "
        "SELECT session_id, '(recovered)', '', MIN(created_at), MAX(created_at) FROM entries GROUP BY session_id"
    )
    fresh.execute(
        "UPDATE sessions SET entry_count = (SELECT COUNT(*) FROM entries WHERE entries.session_id = sessions.id)"
    )
    for table in ("decisions", "routes", "partials"):
        fresh.execute(f"DELETE FROM {table} WHERE session_id NOT IN (SELECT id FROM sessions)")
    fresh.execute("PRAGMA foreign_keys = ON")
    return saved


def _all_rows(source: sqlite3.Connection, table: str) -> Iterator[sqlite3.Row]:
    """From the front up to the first page that cannot be read, from the back down to the last, and one by one between."""
    low, high = 0, 0
    for row in _rows(source, f"SELECT * FROM {table} ORDER BY seq"):
        low = row["seq"]
        yield row
    for row in _rows(source, f"SELECT * FROM {table} WHERE seq > {int(low)} ORDER BY seq DESC"):
        high = row["seq"]
        yield row
    for seq in range(low + 1, min(high, low + MAX_PROBES)):
        yield from _rows(source, f"SELECT * FROM {table} WHERE seq = {seq}")


def _rows(source: sqlite3.Connection, statement: str) -> Iterator[sqlite3.Row]:
    """Rows until the first that cannot be read."""
    with suppress(sqlite3.Error, UnicodeError):
        cursor = source.cursor()
        cursor.row_factory = sqlite3.Row
        yield from cursor.execute(statement)


def _insert(fresh: sqlite3.Connection, table: str, rows: Iterator[sqlite3.Row]) -> int:
    known = {name for (_, name, *_rest) in fresh.execute(f"PRAGMA table_info({table})")}
    saved = 0
    fresh.execute("BEGIN IMMEDIATE")
    for row in rows:
        values = {name: value for name, value in dict(row).items() if name in known}
        statement = f"INSERT OR IGNORE INTO {table} ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})"
        with suppress(sqlite3.Error):
            saved += fresh.execute(statement, tuple(values.values())).rowcount
    fresh.execute("COMMIT")
    return saved


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """One process repairs at a time; the lock ends with its holder."""
    lock = os.open(path.with_name(f"{path.name}.repair"), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
