"""After a turn that went well its checkpoint is written in the background: by code, within five seconds, and stored."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from kram.base import Background
from kram.context import Checkpoint, checkpoint_of, minimal_checkpoint
from kram.messages import Entry, Kind

from .record import Record

LIMIT_S = 5.0

Build: TypeAlias = Callable[[Sequence[Entry]], Awaitable[Checkpoint]]


async def in_a_thread(entries: Sequence[Entry]) -> Checkpoint:
    return await asyncio.to_thread(checkpoint_of, entries)


class Checkpointer:
    """`note` a finished turn; `settle` waits until what was noted is stored."""

    def __init__(self, background: Background, build: Build = in_a_thread, *, limit_s: float = LIMIT_S) -> None:
        self._background = background
        self._build = build
        self._limit_s = limit_s
        self._open = 0
        self._idle = asyncio.Event()
        self._idle.set()

    def note(self, record: Record, first_id: str) -> None:
        """The turn that began with that entry and ended with the newest one. Entries that were folded meanwhile are left
        out: a summary stands for them already."""
        entries = record.entries
        start = next((at for at, one in enumerate(entries) if one.id == first_id), -1)
        turn = [one for one in entries[start:] if one.kind != Kind.COMPACTION] if start >= 0 else []
        if len(turn) < 2:
            return
        self._open += 1
        self._idle.clear()
        self._background.spawn(self._store(record, turn), "checkpoint of a turn")

    async def settle(self) -> None:
        """Returns when nothing is being written any more, after a little more than the limit at the latest."""
        try:
            async with asyncio.timeout(self._limit_s + 1):
                await self._idle.wait()
        except TimeoutError:
            return

    async def _store(self, record: Record, turn: Sequence[Entry]) -> None:
        try:
            record.add_checkpoint(await checkpoint_within(turn, self._build, self._limit_s))
        finally:
            self._open -= 1
            if not self._open:
                self._idle.set()


async def checkpoint_within(turn: Sequence[Entry], build: Build, limit_s: float) -> Checkpoint:
    """The checkpoint, or a minimal one where it takes longer."""
    try:
        async with asyncio.timeout(limit_s):
            return await build(turn)
    except TimeoutError:
        return minimal_checkpoint(turn)
