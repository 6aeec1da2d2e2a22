"""Our ends of a child's pipes, on the event loop: chunks as they come, one chunk a turn of the loop.

However fast a child prints, keys and timers get their turn between two chunks, and nothing is read ahead of its reader.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress

CHUNK_BYTES = 65_536


class PipeReader:
    """Either read with `read`, or followed with `feed_to`. Owns the descriptor; `close` may be called twice."""

    def __init__(self, descriptor: int) -> None:
        os.set_blocking(descriptor, False)
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self.at_end = False

    async def read(self, max_bytes: int = CHUNK_BYTES) -> bytes:
        """The next bytes, b"" at the end. One reader at a time; cancelling loses nothing."""
        await asyncio.sleep(0)
        while not self.at_end:
            chunk = self._take(max_bytes)
            if chunk is not None:
                return chunk
            await self._readable()
        return b""

    def read_now(self, max_bytes: int = CHUNK_BYTES) -> bytes:
        """What lies in the pipe this moment; b"" when there is nothing, see `at_end`."""
        return self._take(max_bytes) or b""

    def feed_to(self, consumer: Callable[[bytes], None]) -> None:
        """From now on every chunk goes to `consumer`, b"" once at the end. Replaces an earlier consumer."""

        def ready() -> None:
            chunk = self._take(CHUNK_BYTES)
            if chunk is not None:
                consumer(chunk)

        if self.at_end:
            self._loop.call_soon(consumer, b"")
        else:
            self._loop.add_reader(self._descriptor, ready)

    def _take(self, max_bytes: int) -> bytes | None:
        if self.at_end:
            return b""
        try:
            chunk = os.read(self._descriptor, max_bytes)
        except (BlockingIOError, InterruptedError):
            return None
        except OSError:
            chunk = b""
        if not chunk:
            self.close()
        return chunk

    async def _readable(self) -> None:
        waiting: asyncio.Future[None] = self._loop.create_future()
        self._loop.add_reader(self._descriptor, _wake, waiting)
        try:
            await waiting
        finally:
            if self._descriptor >= 0:
                self._loop.remove_reader(self._descriptor)

    def close(self) -> None:
        self.at_end = True
        _close(self._loop.remove_reader, self._descriptor)
        self._descriptor = -1


class PipeWriter:
    """Owns the descriptor; `close` may be called twice."""

    def __init__(self, descriptor: int) -> None:
        os.set_blocking(descriptor, False)
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()

    async def write(self, data: bytes) -> bool:
        """Writes all of it, waiting while the pipe is full. False when nobody reads any more."""
        left = memoryview(data)
        while left:
            if self._descriptor < 0:
                return False
            try:
                left = left[os.write(self._descriptor, left[:CHUNK_BYTES]) :]
            except (BlockingIOError, InterruptedError):
                await self._writable()
            except OSError:
                self.close()
                return False
            else:
                await asyncio.sleep(0)
        return True

    async def _writable(self) -> None:
        waiting: asyncio.Future[None] = self._loop.create_future()
        self._loop.add_writer(self._descriptor, _wake, waiting)
        try:
            await waiting
        finally:
            if self._descriptor >= 0:
                self._loop.remove_writer(self._descriptor)

    def close(self) -> None:
        _close(self._loop.remove_writer, self._descriptor)
        self._descriptor = -1


def _wake(waiting: asyncio.Future[None]) -> None:
    if not waiting.done():
        waiting.set_result(None)


def _close(unregister: Callable[[int], bool], descriptor: int) -> None:
    if descriptor < 0:
        return
    # The loop may be closed already when a pipe is dropped on the way out.
    with suppress(RuntimeError, ValueError):
        unregister(descriptor)
    with suppress(OSError):
        os.close(descriptor)
