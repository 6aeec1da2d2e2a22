"""Background work that belongs to someone: a group that logs failures and is cancelled and awaited when its owner closes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

log = logging.getLogger(__name__)


class Background:
    """`spawn` what nobody waits for; `close` ends it all. A failure is logged and costs that piece of work only.

    Belongs to one event loop. After `close` nothing starts any more.
    """

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    def __len__(self) -> int:
        return len(self._tasks)

    def spawn(self, work: Coroutine[Any, Any, object], name: str) -> None:
        """Starts `work`; never raises. Once closed the work is dropped unstarted."""
        if self._closed:
            work.close()
            return
        task = asyncio.get_running_loop().create_task(_logged(work, name), name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        # A task that is cancelled before its first step never touches the work.
        task.add_done_callback(lambda _: work.close())

    async def close(self) -> None:
        """Returns when everything has ended. May be called twice."""
        self._closed = True
        while self._tasks:
            tasks = tuple(self._tasks)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            # Their callbacks run in the loop's next round; without this the set would be looked at before they did.
            self._tasks.difference_update(tasks)


async def _logged(work: Coroutine[Any, Any, object], name: str) -> None:
    try:
        await work
    except Exception:
        log.exception("background work failed: %s", name)
