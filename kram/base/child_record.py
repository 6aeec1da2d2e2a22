"""The children of a running kram, on disk, so that the next start can end them after a kill -9.

One text file a process, `children/<pid>-<start>.txt`: a header `kram-children 1 <boot> <pid namespace> <instance>`, then one
line a child, `<pid> <start> <id>`. A process counts as a leftover by id and start time together or by the marker in its
environment, never by its id alone.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

from .process_table import Proc, is_alive, look_up, markers_of, process_table, send_signal

FOLDER = "children"
GRACE_S = 0.5
LIMIT_S = 2.0
_FORGET_AFTER_S = 7 * 24 * 3600


class ChildRecord:
    """Writes the file of this process. Does nothing until `keep_in` has named the folder."""

    def __init__(self, instance: str) -> None:
        self._instance = instance
        self._folder: Path | None = None
        self._path: Path | None = None
        self._descriptor = -1

    def keep_in(self, state_folder: Path) -> None:
        self._folder = state_folder / FOLDER

    def add(self, pid: int, start: int, child_id: str) -> None:
        """One line more. A folder that can't be written costs the record, not the child."""
        if self._folder is None:
            return
        # No fsync: the record has to outlive this process, not the machine.
        with suppress(OSError):
            if self._descriptor < 0:
                self._open(self._folder)
            os.write(self._descriptor, f"{pid} {start} {child_id}\n".encode())

    def _open(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        own = look_up(os.getpid())
        self._path = folder / f"{os.getpid()}-{own.start if own else 0}.txt"
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
        self._descriptor = os.open(self._path, flags, 0o600)
        os.write(self._descriptor, f"kram-children 1 {_boot()} {_namespace()} {self._instance}\n".encode())

    def remove(self) -> None:
        """All children are gone."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)
            os.close(self._descriptor)
            self._path, self._descriptor = None, -1


def reap_leftovers(state_folder: Path) -> int:
    """Ends what children a killed kram left behind and drops its records; the number of processes ended.

    Blocks for at most 2 s, and only where there is something to end. Never raises.
    """
    ended = 0
    with suppress(OSError):
        for path in sorted((state_folder / FOLDER).glob("*.txt")):
            with suppress(OSError, ValueError):
                ended += _reap_one(path)
    return ended


def _reap_one(path: Path) -> int:
    pid, _, start = path.stem.partition("-")
    owner = look_up(int(pid))
    lines = path.read_text("ascii", "replace").splitlines()
    header = lines[0].split() if lines else []
    if len(header) != 5 or header[:2] != ["kram-children", "1"] or header[2:4] != [_boot(), _namespace()]:
        # From another machine, another container or before a restart: nothing here to end, but maybe still in use there.
        if time.time() - path.stat().st_mtime > _FORGET_AFTER_S:
            path.unlink()
        return 0
    if owner is not None and owner.start == int(start) and not owner.zombie:
        return 0
    recorded = {
        (int(pid), int(start)) for pid, start, _ in (line.split() for line in lines[1:] if line.count(" ") == 2)
    }
    ended = _end(recorded, header[4])
    path.unlink()
    return ended


def _end(recorded: set[tuple[int, int]], instance: str) -> int:
    seen: dict[tuple[int, int], Proc] = {}
    began = time.monotonic()
    while time.monotonic() - began < LIMIT_S:
        living = _leftovers(recorded | set(seen), instance)
        if not living:
            break
        number = signal.SIGTERM if time.monotonic() - began < GRACE_S else signal.SIGKILL
        for proc in living:
            if number == signal.SIGKILL or proc.key not in seen:
                send_signal(proc, number)
        seen |= {proc.key: proc for proc in living}
        time.sleep(0.02)
    return sum(not is_alive(proc) for proc in seen.values())


def _leftovers(keys: set[tuple[int, int]], instance: str) -> list[Proc]:
    table = {pid: proc for pid, proc in process_table().items() if not proc.zombie}
    members = {pid for pid, proc in table.items() if proc.key in keys or _is_marked(pid, instance)}
    size = -1
    while size != len(members):
        size = len(members)
        members |= {pid for pid, proc in table.items() if proc.ppid in members}
    return [table[pid] for pid in members - _own_line(table)]


def _own_line(table: dict[int, Proc]) -> set[int]:
    """This process and who started it: a terminal multiplexer that a command left behind may be where we run now."""
    line: set[int] = set()
    pid = os.getpid()
    while pid in table and pid not in line:
        line.add(pid)
        pid = table[pid].ppid
    return line


def _is_marked(pid: int, instance: str) -> bool:
    return any(marker.startswith(f"{instance}.") for marker in markers_of(pid))


def _boot() -> str:
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip() or "-"
    return "-"


def _namespace() -> str:
    with suppress(OSError):
        return str(Path("/proc/self/ns/pid").readlink())
    return "-"
