"""A look at the session store that changes nothing: format, size, what is in it, and SQLite's own whole check."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from kram.base import Data

from .schema import VERSION


class StoreHealth(Data):
    """`complaints` is empty where all is well. Sizes in bytes; `newer`: another kram's format that this one cannot read."""

    there: bool
    size: int = 0
    version: int = 0
    sessions: int = 0
    entries: int = 0
    newer: bool = False
    complaints: tuple[str, ...] = ()


def look_at_store(path: Path, *, max_complaints: int = 5) -> StoreHealth:
    """Never raises; takes time in proportion to the file. Safe while another kram writes."""
    if not path.exists():
        return StoreHealth(there=False)
    size = path.stat().st_size
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=5)) as connection:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            rows = connection.execute(f"PRAGMA integrity_check({max_complaints})").fetchall()
            complaints = tuple(str(row[0]) for row in rows if row[0] != "ok")
            counts = [0, 0]
            if version and not complaints:
                counts = [
                    connection.execute(f"SELECT COUNT(*) FROM {one}").fetchone()[0] for one in ("sessions", "entries")
                ]
    except (sqlite3.Error, UnicodeDecodeError) as failure:
        return StoreHealth(there=True, size=size, complaints=(str(failure),))
    return StoreHealth(
        there=True,
        size=size,
        version=version,
        sessions=counts[0],
        entries=counts[1],
        newer=version > VERSION,
        complaints=complaints,
    )
