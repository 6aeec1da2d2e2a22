"""Programs that run beside the conversation: bg1, bg2, … Each is known from its start until well after its end.

ProcessProblem    no such process, too many of them, one that takes no input (a UsageError)
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

from kram.base import Clock, Data, UsageError
from kram.base.spawn import Child, child_env, spawn

from .background import MAX_SLICE_BYTES, BackgroundProcess, OutputSlice, ProcessInfo
from .search_lines import BadPattern, read_found, start_follower

MAX_RUNNING = 16
MAX_ENDED = 16
# Programs print line by line when nobody buffers for them; a watcher's output is wanted while it runs.
UNBUFFERED = {"PYTHONUNBUFFERED": "1"}


class ProcessProblem(UsageError):
    """No such process, too many of them, or one that takes no input."""


class Waited(Data):
    """How waiting for a pattern ended; `line` is the one that matched."""

    outcome: Literal["matched", "ended", "timeout"]
    line: str = ""


class Processes:
    """Belongs to one event loop. `emit_change` is called when a process starts and when it has ended in any way."""

    def __init__(self, clock: Clock, emit_change: Callable[[ProcessInfo], None]) -> None:
        self._clock = clock
        self._emit_change = emit_change
        self._all: dict[str, BackgroundProcess] = {}
        self._count = 0

    async def start(self, command: str, cwd: Path, env: Mapping[str, str] | None = None) -> ProcessInfo:
        """Runs a shell text with an open input. `env` None: what every child gets. Raises `SpawnFailed`, `ProcessProblem`."""
        self._check_room()
        child = await spawn(command, cwd=cwd, env=child_env(UNBUFFERED) if env is None else env, stdin=True)
        return self._follow(command, cwd, child)

    def adopt(self, command: str, cwd: Path, child: Child) -> ProcessInfo:
        """Takes over a child whose shell has ended while others of its family run on. Raises `ProcessProblem` when full."""
        self._check_room()
        return self._follow(command, cwd, child)

    def _check_room(self) -> None:
        running = [one.id for one in self._all.values() if one.running]
        if len(running) >= MAX_RUNNING:
            raise ProcessProblem(
                f"{MAX_RUNNING} background processes run already ({', '.join(running)})", todo="End one of them first"
            )

    def _follow(self, command: str, cwd: Path, child: Child) -> ProcessInfo:
        self._count += 1
        process = BackgroundProcess(
            f"bg{self._count}",
            child,
            command=command,
            cwd=cwd,
            clock=self._clock,
            on_change=lambda: self._emit_change(process.info()),
        )
        self._all[process.id] = process
        self._forget_old()
        process.follow()
        self._emit_change(process.info())
        return process.info()

    def _forget_old(self) -> None:
        ended = [one.id for one in self._all.values() if not one.running]
        for process_id in ended[:-MAX_ENDED]:
            del self._all[process_id]

    # --- looking ------------------------------------------------------------------------------------------------

    def list(self) -> list[ProcessInfo]:
        """Running ones and the last that ended, in the order they were started."""
        return [process.info() for process in self._all.values()]

    def get(self, process_id: str) -> ProcessInfo:
        """Raises `ProcessProblem` for an unknown id."""
        return self._process(process_id).info()

    def output(self, process_id: str, cursor: int | None = None, limit: int = MAX_SLICE_BYTES) -> OutputSlice:
        """Output from `cursor` on (a place in all output ever); without one the end of what is retained.

        Raises `ProcessProblem` for an unknown id.
        """
        return self._process(process_id).output(cursor, limit)

    async def follow(self, process_id: str, cursor: int) -> OutputSlice:
        """Waits until there is output beyond `cursor` or the process has ended."""
        process = self._process(process_id)
        await process.changed(cursor)
        return process.output(cursor)

    async def wait(
        self, process_id: str, pattern: str, timeout_s: float, *, cursor: int = 0, ignore_case: bool = False
    ) -> Waited:
        """Waits until a line of output, from `cursor` on, matches a regular expression; an unfinished line counts as well.

        With an empty pattern only the end counts. Raises `ProcessProblem` and `BadPattern`.
        """
        process = self._process(process_id)
        try:
            async with asyncio.timeout(timeout_s):
                if pattern:
                    return await self._match(process, pattern, cursor, ignore_case)
                while process.running:
                    await process.changed(process.bytes_from(0)[1])
                return Waited(outcome="ended")
        except TimeoutError:
            return Waited(outcome="timeout")

    async def _match(self, process: BackgroundProcess, pattern: str, cursor: int, ignore_case: bool) -> Waited:
        follower = await start_follower(pattern, ignore_case=ignore_case)
        said = b""
        try:
            async with asyncio.TaskGroup() as group:
                feeding = group.create_task(_feed(process, follower, cursor))
                while chunk := await follower.read():
                    said += chunk
                feeding.cancel()
            code = await follower.wait()
        finally:
            await follower.kill_tree(grace_s=0)
            follower.close()
        found = read_found(said)
        if found:
            return Waited(outcome="matched", line=found.text)
        if code:
            raise BadPattern("The pattern could not be tried", todo="Use a simpler one")
        return Waited(outcome="ended")

    # --- acting -------------------------------------------------------------------------------------------------

    async def write(self, process_id: str, text: str, *, close: bool = False) -> None:
        """Gives a process input, and its end after it with `close`. Raises `ProcessProblem` when it reads none any more."""
        process = self._process(process_id)
        if not process.running:
            raise ProcessProblem(f"{process_id} has ended")
        if not await process.child.write(text.encode("utf-8", "replace")):
            raise ProcessProblem(f"{process_id} takes no input (any more)")
        if close:
            process.child.close_input()

    async def kill(self, process_id: str) -> ProcessInfo:
        """Ends a process and everything it started. One that has ended already stays as it is."""
        process = self._process(process_id)
        if process.running:
            await process.kill()
        return process.info()

    async def close(self) -> None:
        """Ends all of them."""
        async with asyncio.TaskGroup() as group:
            for process in self._all.values():
                if process.running:
                    group.create_task(process.kill())

    def _process(self, process_id: str) -> BackgroundProcess:
        process = self._all.get(process_id)
        if process is None:
            known = ", ".join(self._all) or "none"
            raise ProcessProblem(f"There is no background process '{process_id}'", todo=f"Known: {known}")
        return process


async def _feed(process: BackgroundProcess, follower: Child, place: int) -> None:
    """Gives the follower all output as it comes, and the end of it when the process ends."""
    while True:
        ended = not process.running
        data, place = process.bytes_from(place)
        if data and not await follower.write(data):
            return
        if ended:
            follower.close_input()
            return
        await process.changed(place)
