"""Opening the database file: WAL, durable commits, one place where SQLite's errors become ours."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import StoreError
from .schema import migrate

BUSY_MS = 5_000


def connect(path: Path) -> sqlite3.Connection:
    """A migrated connection; the folder is made with mode 0700, the file with 0600. Raises `StoreError`."""
    with told(path):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not path.exists():
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        migrate(connection, path)
        return connection


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Turns SQLite's and the system's errors into a `StoreError` that says what to do."""
    try:
        yield
    except sqlite3.Error as failure:
        raise StoreError(
            f"The session store failed: {failure}", where=str(path), todo=_advice(str(failure))
        ) from failure
    except OSError as failure:
        raise StoreError(
            f"The session store cannot be reached: {failure.strerror}", where=str(path), todo=_advice("")
        ) from failure


def _advice(text: str) -> str:
    if "full" in text or "disk I/O" in text:
        return "Free some disk space; what was stored is unharmed"
    if "locked" in text or "busy" in text:
        return "Another program holds the file; close it and try again"
    if "readonly" in text or "read-only" in text:
        return "The file or its folder is read-only; set KRAM_DATA_DIR to a writable folder"
    return "Check the folder's permissions, or set KRAM_DATA_DIR to another one"


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """All or nothing, on disk when it ends."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
