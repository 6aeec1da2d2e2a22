"""One background process: its output, its input, and its state until the last of its family is gone."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Literal, TypeAlias

from kram.base import Clock, Data
from kram.base.spawn import Child

from .ring import Ring
from .spill import text_of, whole_characters

ProcessState: TypeAlias = Literal["running", "exited", "killed", "failed"]

MAX_SLICE_BYTES = 64_000
_LOOK_AGAIN_S = 1.0


class ProcessInfo(Data):
    """`failed`: it ended by itself with something else than 0. `pid` is its shell's; `exit_code` is negative for a signal
    and is known as soon as the shell has ended, which may be while what it started still runs. Times in nanoseconds since
    1970, `ended_at_ns` 0 while it runs; `retained_bytes` of `total_bytes` can still be read."""

    id: str
    command: str
    cwd: str
    pid: int
    state: ProcessState
    started_at_ns: int
    ended_at_ns: int = 0
    exit_code: int | None = None
    total_bytes: int = 0
    retained_bytes: int = 0

    @property
    def running(self) -> bool:
        return self.state == "running"


class OutputSlice(Data):
    """Output from `cursor` to `next_cursor`, places in the whole output. `lost`: what was asked for is no longer all there,
    the text begins later. `more`: further output lies ready."""

    info: ProcessInfo
    text: str
    cursor: int
    next_cursor: int
    lost: bool = False
    more: bool = False


class BackgroundProcess:
    """Follows a child by callbacks of the loop alone, so that nothing has to be awaited for it to be up to date."""

    def __init__(
        self, process_id: str, child: Child, *, command: str, cwd: Path, clock: Clock, on_change: Callable[[], None]
    ) -> None:
        self.id = process_id
        self.child = child
        self._command = command
        self._cwd = cwd
        self._clock = clock
        self._on_change = on_change
        self._ring = Ring()
        self._state: ProcessState = "running"
        self._started_at_ns = clock.now_ns()
        self._ended_at_ns = 0
        self._killing = False
        self._waiting: set[asyncio.Future[None]] = set()
        self._handles: list[int] = []
        self._loop = asyncio.get_running_loop()

    def follow(self) -> None:
        """Begins to listen, to output and to the end."""
        self.child.output.feed_to(self._heard)
        self.child.on_exit(lambda code: self._look())

    @property
    def running(self) -> bool:
        return self._state == "running"

    def info(self) -> ProcessInfo:
        return ProcessInfo(
            id=self.id,
            command=self._command,
            cwd=str(self._cwd),
            pid=self.child.pid,
            state=self._state,
            started_at_ns=self._started_at_ns,
            ended_at_ns=self._ended_at_ns,
            exit_code=self.child.returncode,
            total_bytes=self._ring.end,
            retained_bytes=self._ring.end - self._ring.start,
        )

    # --- output -------------------------------------------------------------------------------------------------

    def output(self, cursor: int | None, limit: int = MAX_SLICE_BYTES) -> OutputSlice:
        """From `cursor` on; without one the end of what is retained, as much as `limit` allows."""
        ring = self._ring
        if cursor is None:
            start = max(ring.start, ring.end - limit)
            lost = start > 0
        else:
            start = cursor if ring.start <= cursor <= ring.end else ring.start
            lost = start != cursor
        data = ring.read(start, limit)
        if self.running or start + len(data) < ring.end:
            data = data[: whole_characters(data)]
        return OutputSlice(
            info=self.info(),
            text=text_of(data, cut_start=start > 0),
            cursor=start,
            next_cursor=start + len(data),
            lost=lost,
            more=start + len(data) < ring.end and len(data) >= limit - 3,
        )

    def bytes_from(self, place: int) -> tuple[bytes, int]:
        """What is retained from `place` on, and the place after it."""
        start = max(place, self._ring.start)
        return self._ring.read(start, self._ring.end - start), self._ring.end

    async def changed(self, place: int) -> None:
        """Returns when there is output beyond `place`, or none will come."""
        while self.running and self._ring.end <= place:
            waiting: asyncio.Future[None] = self._loop.create_future()
            self._waiting.add(waiting)
            try:
                await waiting
            finally:
                self._waiting.discard(waiting)

    def _heard(self, chunk: bytes) -> None:
        if chunk:
            self._ring.append(chunk)
            self._wake()

    def _wake(self) -> None:
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_result(None)

    # --- the end ------------------------------------------------------------------------------------------------

    async def kill(self) -> None:
        """Ends the whole family; the state is final when this returns."""
        self._killing = True
        await self.child.kill_tree()
        self._finish()

    def _look(self) -> None:
        """Its shell, or one of the family after it, has ended: is anybody left?"""
        self._forget_handles()
        if not self.running or self.child.returncode is None:
            return
        family = self.child.leftovers()
        if not family:
            self._finish()
            return
        watched = False
        pidfd_open = getattr(os, "pidfd_open", None)
        for proc in family:
            with suppress(OSError):
                if pidfd_open is not None:
                    handle = pidfd_open(proc.pid)
                    self._handles.append(handle)
                    self._loop.add_reader(handle, self._look)
                    watched = True
        if not watched:
            self._loop.call_later(_LOOK_AGAIN_S, self._look)

    def _forget_handles(self) -> None:
        for handle in self._handles:
            self._loop.remove_reader(handle)
            os.close(handle)
        self._handles.clear()

    def _finish(self) -> None:
        if not self.running:
            return
        self._forget_handles()
        # Nobody is left to write: what lies in the pipe is the rest of it.
        while chunk := self.child.output.read_now():
            self._ring.append(chunk)
        self._ended_at_ns = self._clock.now_ns()
        self._state = "killed" if self._killing else "failed" if self.child.returncode else "exited"
        self.child.close()
        self._wake()
        self._on_change()
