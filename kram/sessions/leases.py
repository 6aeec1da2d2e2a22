"""One writer a session: a row with the process, when it started, and in which boot. A dead process's row does not count."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from .errors import SessionBusy


def take(connection: sqlite3.Connection, session_id: str) -> None:
    """Makes this process the writer. Inside a transaction. Raises `SessionBusy` naming the process that holds it."""
    free_for_us(connection, session_id)
    mine = (session_id, os.getpid(), started(os.getpid()), boot_id())
    connection.execute("INSERT OR REPLACE INTO leases (session_id, pid, started, boot) VALUES (?, ?, ?, ?)", mine)


def free_for_us(connection: sqlite3.Connection, session_id: str) -> None:
    """Raises `SessionBusy` where another living process holds the session; changes nothing."""
    row = connection.execute("SELECT pid, started, boot FROM leases WHERE session_id = ?", (session_id,)).fetchone()
    if row is None:
        return
    pid, since, boot = row
    ours = (pid, since, boot) == (os.getpid(), started(os.getpid()), boot_id())
    if not ours and _alive(pid, since, boot):
        raise SessionBusy(
            f"This session is open in another kram (process {pid})",
            where=session_id,
            todo=f"Close it there, or work in a copy with --fork {session_id}",
        )


def give_back(connection: sqlite3.Connection, session_id: str) -> None:
    """Nothing happens where another process holds it."""
    connection.execute(
        "DELETE FROM leases WHERE session_id = ? AND pid = ? AND started = ? AND boot = ?",
        (session_id, os.getpid(), started(os.getpid()), boot_id()),
    )


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
    return started(pid) == since and not _is_zombie(pid)


def started(pid: int) -> str:
    """When a process started, in the kernel's ticks; "" where the system does not say."""
    fields = _stat(pid)
    return fields[19] if len(fields) > 19 else ""


def _is_zombie(pid: int) -> bool:
    """Ended, and not yet collected by its parent: it will never write again."""
    return _stat(pid)[:1] in (["Z"], ["X"])


def _stat(pid: int) -> list[str]:
    """The fields after the command's name, which may itself hold spaces and parentheses."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    except OSError:
        return []


def boot_id() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("utf-8").strip()
    except OSError:
        return ""
