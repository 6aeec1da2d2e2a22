"""Opening the database file: WAL, durable commits, one place where SQLite's errors become ours."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .errors import DamagedStore, StoreError
from .schema import migrate

RETRY_S = 0.02
BUSY_MS = 5_000
_ROOM = "Free some disk space, then go on; what was stored is unharmed"
_AGAIN = "Start kram again: it sets the file aside and saves what can be read"
_ADVICE = {
    sqlite3.SQLITE_FULL: _ROOM,
    sqlite3.SQLITE_IOERR: _ROOM,
    sqlite3.SQLITE_BUSY: "Another program holds the file; close it and try again",
    sqlite3.SQLITE_LOCKED: "Another program holds the file; close it and try again",
    sqlite3.SQLITE_READONLY: "The file or its folder is read-only; make it writable or set KRAM_DATA_DIR to another folder",
    sqlite3.SQLITE_CANTOPEN: "The folder cannot be written; make it writable or set KRAM_DATA_DIR to another folder",
}


def connect(path: Path) -> sqlite3.Connection:
    """A migrated connection; the folder is made with mode 0700, the file with 0600. Raises `StoreError`."""
    with told(path):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _refuse_foreign(path.parent)
        if not path.exists():
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        try:
            # A damaged column is shown with replacement characters instead of failing the whole list.
            connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
            connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
            _write_ahead(connection)
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA secure_delete = FAST")
            connection.execute("PRAGMA foreign_keys = ON")
            migrate(connection, path)
        except BaseException:
            connection.close()
            raise
        return connection


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Switches to the write-ahead log. SQLite does not wait for others here, whatever its timeout says: where another
    process makes the same switch at this moment it is tried again."""
    end_s = time.monotonic() + BUSY_MS / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as failure:
            if "locked" not in str(failure) or time.monotonic() > end_s:
                raise
            time.sleep(RETRY_S)


def _refuse_foreign(folder: Path) -> None:
    """Someone else's folder could hold anything, and could be read by them. Root may use whatever it was pointed at."""
    if hasattr(os, "geteuid") and os.geteuid() != 0 and folder.stat().st_uid != os.geteuid():
        raise StoreError(
            "The data folder belongs to another user",
            where=str(folder),
            todo="Set KRAM_DATA_DIR to a folder of your own",
        )


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Turns SQLite's and the system's errors into a `StoreError` that says what to do."""
    try:
        yield
    except sqlite3.Error as failure:
        code = error_code(failure)
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            ask_for_check(path)
            raise DamagedStore(f"The session store is damaged: {failure}", where=str(path), todo=_AGAIN) from failure
        advice = _ADVICE.get(code, "Try again; if it stays, set KRAM_DATA_DIR to another folder")
        raise StoreError(f"The session store failed: {failure}", where=str(path), todo=advice) from failure
    except UnicodeDecodeError as failure:
        # SQLite's own words about a damaged schema quote its bytes.
        ask_for_check(path)
        raise DamagedStore("The session store is damaged", where=str(path), todo=_AGAIN) from failure
    except OSError as failure:
        raise StoreError(
            f"The session store cannot be reached: {failure.strerror or failure}",
            where=str(path),
            todo="Check the folder's permissions and its disk, or set KRAM_DATA_DIR to another folder",
        ) from failure


def error_code(failure: sqlite3.Error) -> int:
    """SQLite's primary result code; 0 for what Python's own layer raised."""
    return int(getattr(failure, "sqlite_errorcode", 0)) & 0xFF


def check_mark(path: Path) -> Path:
    """The file whose presence makes the next opening look at the whole store."""
    return path.with_name(f"{path.name}.check")


def ask_for_check(path: Path) -> None:
    with suppress(OSError):
        check_mark(path).touch(mode=0o600)


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """All or nothing, on disk when it ends."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        # A COMMIT that failed (disk full) leaves the transaction open: it is undone here, so that the next one can begin.
        if connection.in_transaction:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
        raise
