"""One writer a session: a row with the process and when it started. A dead process's lease does not count."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from .errors import SessionBusy


def take(connection: sqlite3.Connection, session_id: str) -> None:
    """Raises `SessionBusy` naming the process that holds it."""
    row = connection.execute("SELECT pid, started, boot FROM leases WHERE session_id = ?", (session_id,)).fetchone()
    mine = (os.getpid(), started(os.getpid()), boot_id())
    if row is not None and tuple(row) != mine and _alive(*row):
        raise SessionBusy(
            f"This session is open in another kram (process {row[0]})",
            where=session_id,
            todo="Close it there, or work in a copy with --fork",
        )
    connection.execute("INSERT OR REPLACE INTO leases VALUES (?, ?, ?, ?)", (session_id, *mine))


def give_back(connection: sqlite3.Connection, session_id: str) -> None:
    connection.execute("DELETE FROM leases WHERE session_id = ? AND pid = ?", (session_id, os.getpid()))


def _alive(pid: int, since: str, boot: str) -> bool:
    """Whether that very process still runs: a pid alone may belong to someone else by now."""
    if boot != boot_id():
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return started(pid) == since


def started(pid: int) -> str:
    """When a process started, in the kernel's ticks; "" where the system does not say."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def boot_id() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""
