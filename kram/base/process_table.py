"""Which processes live on this machine, and which of them descend from a child of ours.

A process is known by its id together with its start time; the id alone is never enough to signal one. Linux reads
/proc (format: proc_pid_stat(5)); elsewhere `ps` answers, without the marker in the environment.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from .data import Data

MARKER = "KRAM_CHILD"
PROC = Path("/proc")
# More than a machine can start, so that ids cannot have gone once around in less time than this allows.
_FORKS_A_SECOND = 20_000


class Proc(Data):
    """One living process or zombie. `start` is in clock ticks since boot on Linux, seconds since 1970 elsewhere."""

    pid: int
    ppid: int
    group: int
    session: int
    start: int
    state: str = "R"
    name: str = ""

    @property
    def zombie(self) -> bool:
        return self.state in "ZX"

    @property
    def key(self) -> tuple[int, int]:
        return self.pid, self.start


def look_up(pid: int) -> Proc | None:
    """The process under this id now, None when there is none."""
    if sys.platform != "linux":
        return process_table().get(pid)
    try:
        raw = (PROC / str(pid) / "stat").read_bytes()
    except OSError:
        return None
    return _parse_stat(pid, raw)


def _parse_stat(pid: int, raw: bytes) -> Proc | None:
    # The name stands in parentheses and may hold any byte, parentheses too: only the last one ends it.
    name, _, rest = raw.partition(b"(")[2].rpartition(b")")
    fields = rest.split()
    if len(fields) < 20:
        return None
    return Proc(
        pid=pid,
        ppid=int(fields[1]),
        group=int(fields[2]),
        session=int(fields[3]),
        start=int(fields[19]),
        state=fields[0].decode("ascii", "replace"),
        name=name.decode("utf-8", "replace"),
    )


def process_table(first_pid: int = 0) -> dict[int, Proc]:
    """All processes by id from `first_pid` on, zombies included."""
    if sys.platform != "linux":
        return _table_from_ps()
    table: dict[int, Proc] = {}
    for entry in os.scandir(PROC):
        if entry.name.isdigit() and int(entry.name) >= first_pid and (found := look_up(int(entry.name))):
            table[found.pid] = found
    return table


def only_later_ids(pid: int, age_s: float) -> bool:
    """Whether everything started after this process, `age_s` ago, surely has a higher id: ids have not begun anew since."""
    try:
        newest = int((PROC / "loadavg").read_text("ascii").split()[-1])
        most = int((PROC / "sys/kernel/pid_max").read_text("ascii"))
    except (OSError, ValueError):
        return False
    return newest >= pid and age_s * _FORKS_A_SECOND < most


def _table_from_ps() -> dict[int, Proc]:
    argv = ["/bin/ps", "-A", "-o", "pid=,ppid=,pgid=,sess=,stat=,lstart="]
    listed = subprocess.run(argv, capture_output=True, text=True, env={"LC_ALL": "C"}, check=False)
    table: dict[int, Proc] = {}
    for line in listed.stdout.splitlines():
        with suppress(ValueError):
            pid, ppid, group, session, state, when = line.split(None, 5)
            start = int(time.mktime(time.strptime(when.strip())))
            # Some systems print the session as an address; then the group has to stand for it.
            session_id = int(session) if session.isdigit() and int(session) else int(group)
            table[int(pid)] = Proc(
                pid=int(pid), ppid=int(ppid), group=int(group), session=session_id, start=start, state=state[:1]
            )
    return table


def markers_of(pid: int) -> tuple[str, ...]:
    """The child ids in a process's environment, outermost first; empty where it has none or may not be read."""
    try:
        environment = (PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return ()
    start = MARKER.encode() + b"="
    for item in environment.split(b"\0"):
        if item.startswith(start):
            return tuple(item[len(start) :].decode("ascii", "replace").split("/"))
    return ()


def family(root: int, start: int, child_id: str, table: Mapping[int, Proc], known: Iterable[Proc] = ()) -> list[Proc]:
    """The living descendants of a child, the child included if it lives.

    They are found by the marker they inherited, by their session and group, and by who started whom; `known` are members
    seen earlier, whose own descendants count even when the parents are gone.
    """
    earlier = {proc.key for proc in known}
    members = {pid: proc for pid, proc in table.items() if proc.key in earlier or (pid == root and proc.start == start)}
    sessions = {root, *(proc.session for proc in known)} - {_own_session()}
    rest = {
        pid: proc for pid, proc in table.items() if pid not in members and proc.start >= start and pid != os.getpid()
    }
    leader = table.get(root)
    recycled = leader is not None and leader.start != start
    for pid, proc in list(rest.items()):
        ours_by_session = not recycled and (proc.session in sessions or proc.group == root)
        if ours_by_session or child_id in markers_of(pid):
            members[pid] = rest.pop(pid)
    found = True
    while found:
        children = [pid for pid, proc in rest.items() if proc.ppid in members]
        found = bool(children)
        for pid in children:
            members[pid] = rest.pop(pid)
    return [proc for proc in members.values() if not proc.zombie]


def _own_session() -> int:
    return os.getsid(0)


def is_alive(proc: Proc) -> bool:
    """Whether this very process still runs; a zombie does not."""
    now = look_up(proc.pid)
    return now is not None and now.start == proc.start and not now.zombie


def send_signal(proc: Proc, number: int) -> bool:
    """Signals this very process and no other that took over its id. False when it is gone or may not be signalled."""
    pidfd_open = getattr(os, "pidfd_open", None)
    if pidfd_open is None or not hasattr(signal, "pidfd_send_signal"):
        return is_alive(proc) and _kill(proc.pid, number)
    try:
        handle = pidfd_open(proc.pid)
    except OSError:
        return False
    try:
        # The handle pins the id, so what is looked up now is what gets the signal.
        if not is_alive(proc):
            return False
        signal.pidfd_send_signal(handle, number)
    except OSError:
        return False
    finally:
        os.close(handle)
    return True


def _kill(pid: int, number: int) -> bool:
    try:
        os.kill(pid, number)
    except OSError:
        return False
    return True
