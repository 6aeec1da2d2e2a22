"""What one child may use of the machine. Generous: they stop a runaway, not a build."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

from .data import Data


class Limits(Data):
    """0 leaves a limit as it is. `extra_processes` come on top of all that run on the machine now, since the system counts
    the user's processes, not the child's; it does not bind root."""

    file_bytes: int = 64 * 1024**3
    open_files: int = 65_536
    extra_processes: int = 4_096
    core_bytes: int = 0


def apply_limits(pid: int, limits: Limits) -> None:
    """Lowers the limits of a process that was just started; never raises one. Does nothing where the system can't."""
    if sys.platform != "linux":
        return
    import resource

    wanted = {
        resource.RLIMIT_FSIZE: limits.file_bytes,
        resource.RLIMIT_NOFILE: limits.open_files,
        resource.RLIMIT_NPROC: _running() + limits.extra_processes if limits.extra_processes else 0,
    }
    for kind, most in wanted.items():
        if most:
            _lower(pid, kind, most)
    with suppress(OSError, ValueError):
        resource.prlimit(pid, resource.RLIMIT_CORE, (limits.core_bytes, limits.core_bytes))


def _lower(pid: int, kind: int, most: int) -> None:
    import resource

    with suppress(OSError, ValueError):
        soft, hard = resource.prlimit(pid, kind)
        new_hard = most if hard == resource.RLIM_INFINITY else min(hard, most)
        new_soft = new_hard if soft == resource.RLIM_INFINITY else min(soft, new_hard)
        resource.prlimit(pid, kind, (new_soft, new_hard))


def _running() -> int:
    """All threads of the machine, which is at least those of this user."""
    with suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/loadavg").read_text("ascii").split()[3].partition("/")[2])
    return 30_000
