"""Named places where a test may end the process or let something fail: `KRAM_CRASHPOINT=name:n` kills it at the nth passing of
that name, `KRAM_FAULTPOINT=name:n` raises there."""

from __future__ import annotations

import os
import signal
from collections import Counter

_passed: Counter[str] = Counter()


class InjectedFault(Exception):
    """Raised where `KRAM_FAULTPOINT` says so, and nowhere else."""


def crash_point(name: str) -> None:
    """Costs two dictionary look-ups unless a variable is set."""
    killing, raising = os.environ.get("KRAM_CRASHPOINT"), os.environ.get("KRAM_FAULTPOINT")
    if killing is None and raising is None:
        return
    _passed[name] += 1
    here = f"{name}:{_passed[name]}"
    if killing == here:
        os.kill(os.getpid(), signal.SIGKILL)
    if raising == here:
        raise InjectedFault(f"a fault was asked for at {here}")
