"""How the state of a background process is said to the model."""

from __future__ import annotations

from kram.workspace import ProcessInfo


def status(info: ProcessInfo) -> str:
    """`running`, `exited with 0`, `killed`, `ended by signal 9`."""
    if info.running:
        return "running" if info.exit_code is None else f"running (its shell ended with {info.exit_code})"
    if info.state == "killed":
        return "killed"
    if info.exit_code is not None and info.exit_code < 0:
        return f"ended by signal {-info.exit_code}"
    return f"exited with {info.exit_code}"


def status_line(info: ProcessInfo) -> str:
    return "[still running]" if info.running else f"[{status(info)}]"
