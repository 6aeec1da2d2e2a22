"""One running child: its pipes, its end, and the end of its whole family."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import IO

from .children import Children, Tracked, strike
from .pipes import PipeReader, PipeWriter
from .process_table import Proc, is_alive

GRACE_S = 2.0
_POLL_S = 0.02
_KILL_LIMIT_S = 2.0


class Child:
    """Made by `spawn`, on the loop it belongs to. Whoever holds it ends it: `wait` and `leftovers`, or `kill_tree`; then `close`.

    `output` is standard output, `errors` standard error where it was asked for separately. `id` is in the environment of
    every descendant. `returncode` is None while the child runs, negative for a signal.
    """

    def __init__(self, popen: subprocess.Popen[bytes], table: Children, tracked: Tracked) -> None:
        self._popen = popen
        self._table = table
        self._tracked = tracked
        self._loop = asyncio.get_running_loop()
        self._exited: asyncio.Future[int] = self._loop.create_future()
        self._on_exit: list[Callable[[int], None]] = []
        self._exit_handle = -1
        self.id = tracked.id
        self.pid = popen.pid
        self.started = tracked.start
        self.output = PipeReader(_own(popen.stdout))
        self.errors = PipeReader(_own(popen.stderr)) if popen.stderr else None
        self._input = PipeWriter(_own(popen.stdin)) if popen.stdin else None
        self._watch()

    @property
    def returncode(self) -> int | None:
        return self._popen.returncode

    # --- pipes --------------------------------------------------------------------------------------------------

    async def read(self) -> bytes:
        """The next chunk of output, b"" at its end. The end may be long after the child's own, if others hold the pipe."""
        return await self.output.read()

    async def write(self, data: bytes) -> bool:
        """False when the child reads no more, or was started without an input."""
        return await self._input.write(data) if self._input else False

    def close_input(self) -> None:
        if self._input:
            self._input.close()

    # --- the end ------------------------------------------------------------------------------------------------

    async def wait(self) -> int:
        """The exit code once the child has ended, whatever its descendants do. May be awaited more than once."""
        return await asyncio.shield(self._exited)

    def on_exit(self, callback: Callable[[int], None]) -> None:
        """Calls back on the loop with the exit code, at once if the child has ended already."""
        if self._exited.done():
            self._loop.call_soon(callback, self._exited.result())
        else:
            self._on_exit.append(callback)

    def leftovers(self) -> list[Proc]:
        """The living of the family, the child itself included while it runs. Reads the process table: a few milliseconds."""
        return self._table.members(self._tracked)

    async def outlived_by(self, patience_s: float) -> list[Proc]:
        """Who of the family still lives once the child has ended and the others had a moment to end as well."""
        await self.wait()
        deadline = self._loop.time() + patience_s
        while True:
            left = self.leftovers()
            if not left or self._loop.time() >= deadline:
                return left
            await asyncio.sleep(_POLL_S)

    async def kill_tree(self, grace_s: float = GRACE_S) -> None:
        """SIGTERM to the whole family, after `grace_s` SIGKILL until none lives. Cancelled, it kills at once."""
        try:
            members = self.leftovers()
            if members:
                strike(members, signal.SIGTERM)
                await self._until_gone(members, grace_s)
                await self._finish_off()
            await self.wait()
        except BaseException:
            strike(self.leftovers(), signal.SIGKILL)
            strike(self.leftovers(), signal.SIGKILL)
            raise
        self._table.sweep()

    async def _until_gone(self, members: list[Proc], grace_s: float) -> None:
        deadline = self._loop.time() + grace_s
        while members and self._loop.time() < deadline:
            await asyncio.sleep(_POLL_S)
            members = [proc for proc in members if is_alive(proc)]

    async def _finish_off(self) -> None:
        deadline = self._loop.time() + _KILL_LIMIT_S
        while (members := self.leftovers()) and self._loop.time() < deadline:
            # Stopped first, so that a family that forks faster than we look does not get away.
            strike(members, signal.SIGSTOP)
            strike({proc.key: proc for proc in [*members, *self.leftovers()]}.values(), signal.SIGKILL)
            await asyncio.sleep(_POLL_S / 2)

    def close(self) -> None:
        """Gives the pipes back and stops looking after a family that is gone. May be called twice."""
        for pipe in (self.output, self.errors, self._input):
            if pipe:
                pipe.close()
        if self.returncode is not None:
            self._table.forget(self._tracked)

    # --- noticing the exit --------------------------------------------------------------------------------------

    def _watch(self) -> None:
        pidfd_open = getattr(os, "pidfd_open", None)
        if pidfd_open is not None:
            with suppress(OSError):
                self._exit_handle = pidfd_open(self.pid)
                self._loop.add_reader(self._exit_handle, self._collect)
                return
        threading.Thread(target=self._wait_in_thread, name=f"child {self.pid}", daemon=True).start()

    def _wait_in_thread(self) -> None:
        self._popen.wait()
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._collect)

    def _collect(self) -> None:
        code = self._popen.poll()
        if code is None:
            return
        if self._exit_handle >= 0:
            self._loop.remove_reader(self._exit_handle)
            os.close(self._exit_handle)
            self._exit_handle = -1
        if not self._exited.done():
            self._exited.set_result(code)
        callbacks, self._on_exit = self._on_exit, []
        for callback in callbacks:
            callback(code)


def _own(pipe: IO[bytes] | None) -> int:
    """A descriptor of our own; the file object around the other one is closed, so that only one owner is left."""
    if pipe is None:
        raise ValueError("a child is started with its output on a pipe")
    descriptor = os.dup(pipe.fileno())
    pipe.close()
    return descriptor
