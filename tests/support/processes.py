"""Looking at real processes from the outside: who carries a marker, waiting for something to become true."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path

PATIENCE_S = 20.0


def living_with(marker: str) -> list[int]:
    """The processes, zombies aside, in whose environment or arguments the marker stands."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            text = (entry / "environ").read_bytes() + (entry / "cmdline").read_bytes()
            state = (entry / "stat").read_bytes().rpartition(b")")[2].split()[0]
        except OSError:
            continue
        if marker.encode() in text and state not in (b"Z", b"X"):
            found.append(int(entry.name))
    return found


async def until(condition: Callable[[], object]) -> None:
    """Waits for a condition; fails the test when it never comes true."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "what was waited for never came"
        await asyncio.sleep(0.01)


def until_now(condition: Callable[[], object]) -> None:
    """The same without a loop."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "what was waited for never came"
        time.sleep(0.01)


def alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0]
    except OSError:
        return False
    return state not in (b"Z", b"X")
