"""Every child this process has started, until its whole family is gone; and how all of them end when we do.

A child's descendants carry its id in their environment (`KRAM_CHILD`), and orphans come to this process where the system
can do that (PR_SET_CHILD_SUBREAPER, prctl(2)), so that a daemon which left its session and group is still found.
"""

from __future__ import annotations

import atexit
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from types import FrameType

from .child_record import ChildRecord
from .process_table import (
    MARKER,
    Proc,
    family,
    is_alive,
    look_up,
    markers_of,
    only_later_ids,
    process_table,
    send_signal,
)

EXIT_GRACE_S = 1.0
EXIT_LIMIT_S = 2.5
POLL_S = 0.01
_PR_SET_CHILD_SUBREAPER = 36
# A dead child nobody has asked about for this long is not waited for by anyone else in this process.
_UNCLAIMED_S = 10.0


@dataclass(slots=True, eq=False)
class Tracked:
    """A child and the members of its family seen so far."""

    id: str
    pid: int
    start: int
    popen: subprocess.Popen[bytes]
    began_s: float = field(default_factory=time.monotonic)
    known: dict[tuple[int, int], Proc] = field(default_factory=dict)


class Children:
    """The table of one process. Not for several threads at once, but for its `end_all`, which only reads."""

    def __init__(self) -> None:
        self._instance = secrets.token_hex(8)
        self._outer = os.environ.get(MARKER, "")
        self._owner = os.getpid()
        self._count = 0
        self._tracked: dict[str, Tracked] = {}
        self._dead_since: dict[tuple[int, int], float] = {}
        self._guarded = False
        self._ending = False
        self._adopts_orphans = False
        self.record = ChildRecord(self._instance)

    def next_id(self) -> str:
        self._guard()
        self._count += 1
        return f"{self._instance}.{self._count}"

    def marker(self, child_id: str) -> str:
        """The value of the environment variable: our own marker, if we have one, then the child's id."""
        return f"{self._outer}/{child_id}" if self._outer else child_id

    def add(self, child_id: str, popen: subprocess.Popen[bytes]) -> Tracked:
        proc = look_up(popen.pid)
        tracked = Tracked(id=child_id, pid=popen.pid, start=proc.start if proc else 0, popen=popen)
        self._tracked[child_id] = tracked
        self.record.add(tracked.pid, tracked.start, child_id)
        return tracked

    def forget(self, tracked: Tracked) -> None:
        """The family is gone, or is nobody's concern any more."""
        self._tracked.pop(tracked.id, None)

    def alive(self) -> list[Tracked]:
        """The children that have not been forgotten, oldest first."""
        return list(self._tracked.values())

    def members(self, tracked: Tracked) -> list[Proc]:
        """Who lives of this child's family now."""
        # A process that forks and dies while the table is read can hide its child from one look, not from two.
        return self._look_for(tracked) or self._look_for(tracked)

    def _look_for(self, tracked: Tracked) -> list[Proc]:
        if self._no_children_at_all():
            return []
        table = self._table_for(tracked)
        found = family(tracked.pid, tracked.start, tracked.id, table, tracked.known.values())
        if not any(self._lives(other) for other in self._tracked.values() if other is not tracked):
            strays = [proc for proc in self._strays(table) if proc.start >= tracked.start]
            found += [proc for proc in strays if proc.key not in {one.key for one in found}]
        tracked.known.update((proc.key, proc) for proc in found)
        return found

    @staticmethod
    def _table_for(tracked: Tracked) -> dict[int, Proc]:
        """The processes that can belong to its family, which are often few of the machine's."""
        if only_later_ids(tracked.pid, time.monotonic() - tracked.began_s):
            return process_table(tracked.pid)
        return process_table()

    @staticmethod
    def _lives(tracked: Tracked) -> bool:
        return tracked.popen.returncode is None or any(is_alive(proc) for proc in tracked.known.values())

    def _no_children_at_all(self) -> bool:
        """True where the kernel says so: with orphans coming to us, no child means no descendant."""
        if not self._adopts_orphans:
            return False
        try:
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return True
        return False

    def _strays(self, table: dict[int, Proc], *, leaders_too: bool = False) -> list[Proc]:
        """Orphans that came to us without a marker: started with an emptied environment in a session of their own.

        A session's leader may as well be a child that some library started, so leaders count only at the very end.
        """
        leaders = {one.pid for one in self._tracked.values()}
        own = os.getsid(0)
        strays = []
        for pid, proc in table.items():
            if proc.ppid != self._owner or pid in leaders or proc.zombie or proc.session == own:
                continue
            if not leaders_too and (self._is_foreign(proc.session, leaders) or markers_of(pid)):
                continue
            strays.append(proc)
        return strays

    def _is_foreign(self, session: int, leaders: set[int]) -> bool:
        """Whether a session is led by a child that somebody else in this process started."""
        leader = None if session in leaders else look_up(session)
        return leader is not None and leader.ppid == self._owner

    def sweep(self) -> None:
        """Collects dead orphans that came to us, so that no zombie stays. Leaves other people's children alone."""
        try:
            if os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                return
        except ChildProcessError:
            return
        leaders = {one.pid for one in self._tracked.values()}
        known = {key for one in self._tracked.values() for key in one.known}
        now = time.monotonic()
        dead = {}
        for proc in process_table().values():
            if proc.ppid != self._owner or not proc.zombie or proc.pid in leaders:
                continue
            surely_orphan = proc.session not in (os.getsid(0), proc.pid) or proc.key in known
            since = self._dead_since.get(proc.key, now)
            if surely_orphan or now - since > _UNCLAIMED_S:
                _reap(proc.pid)
            else:
                dead[proc.key] = since
        self._dead_since = dead

    # --- the end ------------------------------------------------------------------------------------------------

    def end_all(self, grace_s: float = EXIT_GRACE_S) -> None:
        """Ends every descendant and returns when none lives: SIGTERM, then SIGKILL. Blocks for at most 2.5 s."""
        if os.getpid() != self._owner or not self._guarded:
            return
        limit = time.monotonic() + EXIT_LIMIT_S
        living = self._everyone() or self._everyone()
        strike(living, signal.SIGTERM)
        patience = time.monotonic() + grace_s
        while living and time.monotonic() < patience:
            time.sleep(POLL_S)
            self._reap_own()
            living = [proc for proc in living if is_alive(proc)]
        while (living := self._everyone() or self._everyone()) and time.monotonic() < limit:
            strike(living, signal.SIGKILL)
            time.sleep(POLL_S)
            self._reap_own()
        self._tracked.clear()
        if not living:
            self.record.remove()

    def _everyone(self) -> list[Proc]:
        if self._no_children_at_all():
            return []
        table = process_table()
        found: dict[tuple[int, int], Proc] = {}
        for tracked in list(self._tracked.values()):
            for proc in family(tracked.pid, tracked.start, tracked.id, table, tracked.known.values()):
                found[proc.key] = proc
                tracked.known[proc.key] = proc
        found |= {proc.key: proc for proc in marked(self._instance, table)}
        found |= {proc.key: proc for proc in self._strays(table, leaders_too=True)}
        return list(found.values())

    def _reap_own(self) -> None:
        for tracked in list(self._tracked.values()):
            tracked.popen.poll()
            for proc in tracked.known.values():
                if proc.pid != tracked.pid:
                    _reap(proc.pid)

    def _guard(self) -> None:
        """With the first child: orphans come to us, and every way out ends the children."""
        if self._guarded:
            return
        self._guarded = True
        self._adopts_orphans = _become_subreaper()
        atexit.register(self.end_all)
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
                # Whoever handles a signal already ends the children on its own way out.
                if signal.getsignal(number) is signal.SIG_DFL:
                    signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if not self._ending:
            self._ending = True
            self.end_all()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)


def strike(procs: Iterable[Proc], number: int) -> None:
    """One signal to each; a stopped process is woken so that it can obey."""
    for proc in procs:
        if send_signal(proc, number) and number != signal.SIGKILL and proc.state == "T":
            send_signal(proc, signal.SIGCONT)


def marked(instance: str, table: dict[int, Proc]) -> list[Proc]:
    """The living processes whose environment names a child of that run of kram."""
    start = f"{instance}."
    return [
        proc
        for proc in table.values()
        if not proc.zombie and any(marker.startswith(start) for marker in markers_of(proc.pid))
    ]


def _reap(pid: int) -> None:
    with suppress(OSError):
        os.waitpid(pid, os.WNOHANG)


def _become_subreaper() -> bool:
    if sys.platform != "linux":
        return False
    import ctypes

    try:
        return int(ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)) == 0
    except (OSError, AttributeError):
        return False
