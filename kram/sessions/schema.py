"""The store's tables as numbered migrations. Each is one transaction; an older file is copied aside before the first one runs.

A migration is a list of statements and is never changed once released: a new one is added. `entries.seq` is a stable row
id, which a full-text index can refer to.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from kram.base import crash_point

from .errors import StoreError

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE sessions (
            id TEXT PRIMARY KEY, title TEXT NOT NULL, workspace TEXT NOT NULL, parent TEXT NOT NULL DEFAULT '',
            created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
        )""",
        """CREATE TABLE entries (
            seq INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
            id TEXT NOT NULL, kind TEXT NOT NULL, created_at INTEGER NOT NULL, subsumed_by TEXT NOT NULL DEFAULT '',
            body BLOB NOT NULL, UNIQUE (session_id, id)
        )""",
        "CREATE INDEX entries_by_session ON entries (session_id, created_at, id)",
        """CREATE TABLE partials (
            session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE, entry_id TEXT NOT NULL, text TEXT NOT NULL,
            thinking TEXT NOT NULL, model TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (session_id, entry_id)
        )""",
        """CREATE TABLE decisions (
            seq INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
            call_id TEXT NOT NULL, at INTEGER NOT NULL, body BLOB NOT NULL
        )""",
        "CREATE INDEX decisions_by_call ON decisions (session_id, call_id)",
        "CREATE TABLE prompts (seq INTEGER PRIMARY KEY AUTOINCREMENT, workspace TEXT NOT NULL, text TEXT NOT NULL)",
        "CREATE INDEX prompts_by_workspace ON prompts (workspace, seq)",
        "CREATE TABLE states (scope TEXT NOT NULL, key TEXT NOT NULL, body BLOB NOT NULL, PRIMARY KEY (scope, key))",
        """CREATE TABLE leases (
            session_id TEXT PRIMARY KEY REFERENCES sessions ON DELETE CASCADE, pid INTEGER NOT NULL,
            started TEXT NOT NULL, boot TEXT NOT NULL
        )""",
    ),
    (
        # Counting rows made a list of a thousand sessions slow; the number is kept with the head.
        "ALTER TABLE sessions ADD COLUMN entry_count INTEGER NOT NULL DEFAULT 0",
        "UPDATE sessions SET entry_count = (SELECT COUNT(*) FROM entries WHERE entries.session_id = sessions.id)",
        "CREATE INDEX sessions_by_workspace ON sessions (workspace, updated_at)",
        "CREATE INDEX decisions_by_time ON decisions (session_id, at)",
        """CREATE TABLE routes (
            seq INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
            at INTEGER NOT NULL, body BLOB NOT NULL
        )""",
        "CREATE INDEX routes_by_session ON routes (session_id, seq)",
    ),
    (
        # What people and models said, as words; `rowid` is `entries.seq`. Triggers keep it, so that no way of writing an entry
        # can forget it. Rows that were there before go in little by little: those up to `said_backlog.upto` are not in yet.
        "CREATE VIRTUAL TABLE said USING fts5 (text, tokenize = 'unicode61 remove_diacritics 2')",
        "CREATE TABLE said_backlog (upto INTEGER NOT NULL)",
        "INSERT INTO said_backlog SELECT COALESCE(MAX(seq), 0) FROM entries",
        """CREATE TRIGGER said_in AFTER INSERT ON entries WHEN new.kind IN ('user', 'assistant') BEGIN
            INSERT INTO said (rowid, text) SELECT new.seq, text FROM (
                SELECT CASE WHEN json_valid(body) THEN json_extract(body, '$.content') END AS text
                FROM (SELECT CAST(new.body AS TEXT) AS body)
            ) WHERE text <> '';
        END""",
        "CREATE TRIGGER said_out AFTER DELETE ON entries BEGIN DELETE FROM said WHERE rowid = old.seq; END",
        # Facts kept for later sessions; those of all projects have no workspace.
        """CREATE TABLE facts (
            seq INTEGER PRIMARY KEY AUTOINCREMENT, workspace TEXT NOT NULL, content TEXT NOT NULL,
            pinned INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
        )""",
        "CREATE INDEX facts_by_workspace ON facts (workspace)",
    ),
)

VERSION = len(MIGRATIONS)


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Brings the file to this version. Raises `StoreError` for a file that a newer kram wrote, and leaves it alone."""
    found = _version(connection)
    if found > VERSION:
        raise StoreError(
            f"The session store was written by a newer kram (format {found}, this one knows {VERSION})",
            where=str(path),
            todo="Update kram, or set KRAM_DATA_DIR to another folder",
        )
    if 0 < found < VERSION:
        _back_up(connection, path, found)
    for number in range(found, VERSION):
        _step(connection, number)


def _step(connection: sqlite3.Connection, number: int) -> None:
    """One migration, unless another process did it in the meantime."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        if _version(connection) == number:
            for statement in MIGRATIONS[number]:
                connection.execute(statement)
                crash_point("migrate:inside")
            connection.execute(f"PRAGMA user_version = {number + 1}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def _back_up(connection: sqlite3.Connection, path: Path, version: int) -> None:
    """A whole copy beside the file, readable by its owner only; renamed into place so that half of one never counts."""
    target = path.with_name(f"{path.stem}-format-{version}{path.suffix}")
    half = target.with_name(f"{target.name}.half")
    half.unlink(missing_ok=True)
    os.close(os.open(half, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    with closing(sqlite3.connect(half)) as copy:
        connection.backup(copy)
    half.replace(target)
