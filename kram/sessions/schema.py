"""The store's tables as numbered migrations. Each is one transaction; an older file is copied aside before the first one runs."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from .errors import StoreError

MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE sessions (
        id TEXT PRIMARY KEY, title TEXT NOT NULL, workspace TEXT NOT NULL, parent TEXT NOT NULL DEFAULT '',
        created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
    );
    CREATE TABLE entries (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
        id TEXT NOT NULL, kind TEXT NOT NULL, created_at INTEGER NOT NULL, subsumed_by TEXT NOT NULL DEFAULT '',
        body BLOB NOT NULL, UNIQUE (session_id, id)
    );
    CREATE INDEX entries_by_session ON entries (session_id, created_at, id);
    CREATE TABLE partials (
        session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE, entry_id TEXT NOT NULL, text TEXT NOT NULL,
        thinking TEXT NOT NULL, model TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (session_id, entry_id)
    );
    CREATE TABLE decisions (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
        call_id TEXT NOT NULL, at INTEGER NOT NULL, body BLOB NOT NULL
    );
    CREATE INDEX decisions_by_call ON decisions (session_id, call_id);
    CREATE TABLE prompts (seq INTEGER PRIMARY KEY AUTOINCREMENT, workspace TEXT NOT NULL, text TEXT NOT NULL);
    CREATE INDEX prompts_by_workspace ON prompts (workspace, seq);
    CREATE TABLE states (scope TEXT NOT NULL, key TEXT NOT NULL, body BLOB NOT NULL, PRIMARY KEY (scope, key));
    CREATE TABLE leases (
        session_id TEXT PRIMARY KEY REFERENCES sessions ON DELETE CASCADE, pid INTEGER NOT NULL, started TEXT NOT NULL,
        boot TEXT NOT NULL
    );
    """,
)

VERSION = len(MIGRATIONS)


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Brings the file to this version. Raises `StoreError` for a file that a newer kram wrote, and leaves it alone."""
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    if found > VERSION:
        raise StoreError(
            f"The session store was written by a newer kram (format {found}, this one knows {VERSION})",
            where=str(path),
            todo="Update kram, or set KRAM_DATA_DIR to another folder",
        )
    if 0 < found < VERSION:
        _back_up(connection, path, found)
    for number in range(found, VERSION):
        connection.executescript(f"BEGIN IMMEDIATE; {MIGRATIONS[number]} PRAGMA user_version = {number + 1}; COMMIT;")


def _back_up(connection: sqlite3.Connection, path: Path, version: int) -> None:
    with sqlite3.connect(path.with_name(f"{path.stem}-format-{version}{path.suffix}")) as copy:
        connection.backup(copy)
    copy.close()
