"""A damaged store is set aside, never deleted; what can still be read moves into a new one."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

TABLES = ("sessions", "entries", "decisions", "prompts", "states")


def is_damaged(path: Path) -> bool:
    """Whether SQLite finds the file unusable."""
    if not path.exists() or path.stat().st_size == 0:
        return False
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=rw", uri=True)) as connection:
            (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            return str(verdict) != "ok"
    except sqlite3.DatabaseError as failure:
        return not isinstance(failure, sqlite3.OperationalError)


def set_aside(path: Path, stamp: str) -> Path:
    """Renames the store and its side files; returns the new name."""
    aside = path.with_name(f"{path.stem}-damaged-{stamp}{path.suffix}")
    for suffix in ("", "-wal", "-shm"):
        source = path.with_name(path.name + suffix)
        if source.exists():
            source.rename(aside.with_name(aside.name + suffix))
    return aside


def salvage(damaged: Path, fresh: sqlite3.Connection) -> int:
    """Copies every row that can be read, row by row; returns how many."""
    saved = 0
    with suppress(sqlite3.Error), closing(sqlite3.connect(f"file:{damaged}?mode=ro", uri=True)) as source:
        fresh.execute("PRAGMA foreign_keys = OFF")
        for table in TABLES:
            saved += _copy(source, fresh, table)
    fresh.execute("PRAGMA foreign_keys = ON")
    return saved


def _copy(source: sqlite3.Connection, fresh: sqlite3.Connection, table: str) -> int:
    saved = 0
    with suppress(sqlite3.Error):
        rows = source.execute(f"SELECT * FROM {table}")
        names = ", ".join(column[0] for column in rows.description)
        marks = ", ".join("?" for _ in rows.description)
        while True:
            try:
                row = rows.fetchone()
            except sqlite3.Error:
                break
            if row is None:
                break
            with suppress(sqlite3.Error):
                fresh.execute(f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({marks})", row)
                saved += 1
    return saved
