"""The one way to start a process.

Every child leads its own session and group, has no terminal, reads /dev/null unless asked otherwise, inherits a listed
environment (`child_env`) and no descriptor, and is ended with its whole tree, also by every way out of this process.

    SpawnFailed   the program could not be started (a KramError)
"""

from __future__ import annotations

import asyncio
import errno
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

from .child import Child
from .child_env import child_env
from .child_limits import Limits, apply_limits
from .child_record import reap_leftovers
from .children import EXIT_GRACE_S, Children
from .data import Data
from .errors import KramError
from .pipes import PipeReader
from .process_table import MARKER

__all__ = [
    "Child",
    "Finished",
    "Limits",
    "SpawnFailed",
    "child_env",
    "kill_all",
    "reap_leftovers",
    "record_children",
    "run",
    "shell_argv",
    "spawn",
]

Errors: TypeAlias = Literal["merge", "drop", "pipe"]

_RUN_GRACE_S = 0.2


class SpawnFailed(KramError):
    """The program could not be started: not found, arguments too long, a NUL in them, a working directory that is gone."""


class Finished(Data):
    """What `run` got. `code` is negative for the signal that ended it; `truncated`: output beyond the limit is missing."""

    code: int
    output: bytes
    errors: bytes = b""
    truncated: bool = False
    timed_out: bool = False


async def spawn(
    argv: Sequence[str] | str,
    *,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    stdin: bool = False,
    errors: Errors = "merge",
    limits: Limits | None = None,
) -> Child:
    """Starts a program, or the shell with a text. `env` None: `child_env()`; else exactly this environment.

    `errors`: standard error goes into the output, nowhere, or to `Child.read_errors`. Raises `SpawnFailed`.
    """
    command = shell_argv(argv) if isinstance(argv, str) else list(argv)
    table = _children()
    child_id = table.next_id()
    table.sweep()
    environment = {**(child_env() if env is None else env), MARKER: table.marker(child_id), "PWD": str(cwd)}
    popen = _start(command, cwd, environment, stdin=stdin, errors=errors)
    tracked = table.add(child_id, popen)
    apply_limits(popen.pid, limits or Limits())
    return Child(popen, table, tracked)


def _start(
    command: Sequence[str], cwd: Path, environment: Mapping[str, str], *, stdin: bool, errors: Errors
) -> subprocess.Popen[bytes]:
    streams = {"merge": subprocess.STDOUT, "drop": subprocess.DEVNULL, "pipe": subprocess.PIPE}
    try:
        return subprocess.Popen(
            command,
            cwd=cwd,
            env=environment,
            stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=streams[errors],
            bufsize=0,
            start_new_session=True,
        )
    except (OSError, ValueError) as failure:
        raise SpawnFailed(_reason(failure, command, cwd)) from failure


async def run(
    argv: Sequence[str] | str,
    *,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    stdin_data: bytes | None = None,
    errors: Errors = "merge",
    timeout_s: float = 30.0,
    max_bytes: int = 1_000_000,
) -> Finished:
    """Runs a program to its end, which is also its descendants' end, and keeps at most `max_bytes` of each stream.

    Ends it when it has said more than `max_bytes` and after `timeout_s`. Raises `SpawnFailed`.
    """
    child = await spawn(argv, cwd=cwd, env=env, stdin=stdin_data is not None, errors=errors)
    enough = asyncio.Event()
    kept = [_Kept(pipe, max_bytes, enough) for pipe in (child.output, child.errors) if pipe]
    timed_out = False
    try:
        child.on_exit(lambda code: enough.set())
        async with asyncio.timeout(timeout_s):
            if stdin_data is not None:
                await child.write(stdin_data)
                child.close_input()
            await enough.wait()
    except TimeoutError:
        timed_out = True
    finally:
        for one in kept:
            one.take_rest()
        await child.kill_tree(_RUN_GRACE_S)
        child.close()
    return Finished(
        code=await child.wait(),
        output=bytes(kept[0].data[:max_bytes]),
        errors=bytes(kept[1].data[:max_bytes]) if errors == "pipe" else b"",
        truncated=any(len(one.data) > max_bytes for one in kept),
        timed_out=timed_out,
    )


class _Kept:
    """What one stream said, up to a little more than the limit."""

    def __init__(self, pipe: PipeReader, max_bytes: int, enough: asyncio.Event) -> None:
        self.data = bytearray()
        self._pipe = pipe
        self._max_bytes = max_bytes
        self._enough = enough
        pipe.feed_to(self._take)

    def _take(self, chunk: bytes) -> None:
        if len(self.data) <= self._max_bytes:
            self.data += chunk
        else:
            self._enough.set()

    def take_rest(self) -> None:
        """The program's end is the end, whoever still holds the pipe: what lies in it is taken, no more is waited for."""
        while len(self.data) <= self._max_bytes and (chunk := self._pipe.read_now()):
            self.data += chunk


def shell_argv(text: str) -> list[str]:
    """The shell with a text to run, and nothing of the person's start-up files."""
    for shell in ("/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", shutil.which("bash") or ""):
        if shell.startswith("/") and Path(shell).is_file():
            return [shell, "--noprofile", "--norc", "-c", text]
    return ["/bin/sh", "-c", text]


def kill_all(grace_s: float = EXIT_GRACE_S) -> None:
    """Ends every descendant of this process; blocks until none lives, at most 2.5 s. Only for a process that is leaving.

    Runs by itself at exit and on SIGTERM, SIGHUP and SIGQUIT; a handler that replaces those calls it.
    """
    _children().end_all(grace_s)


def record_children(state_folder: Path) -> None:
    """From now on children are on record there, for the next start's `reap_leftovers` after a kill -9."""
    _children().record.keep_in(state_folder)


@cache
def _children() -> Children:
    # The one thing here that is not passed in: the kernel keeps one table of children a process, and so do we.
    return Children()


def _reason(failure: Exception, command: Sequence[str], cwd: Path) -> str:
    if not cwd.is_dir():
        return f"The working directory {cwd} is gone or is no directory"
    if isinstance(failure, UnicodeError):
        return "The command holds characters that can't be passed to a program"
    if isinstance(failure, ValueError):
        return "The command holds a NUL character, which no program can be given"
    if isinstance(failure, OSError):
        if failure.errno == errno.E2BIG:
            size = sum(len(word.encode("utf-8", "replace")) for word in command)
            return f"The command is too long for the system to start ({size} bytes)"
        if isinstance(failure, FileNotFoundError):
            return f"There is no program named {command[0]}"
        return f"{command[0]} could not be started: {failure.strerror}"
    return f"{command[0]} could not be started: {failure}"
