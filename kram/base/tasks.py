"""Background work that belongs to someone: a group that logs failures and is cancelled and awaited when its owner closes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

log = logging.getLogger(__name__)


class Background:
    """`spawn` what nobody waits for; `close` ends it all. A failure is logged and costs that piece of work only."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def spawn(self, work: Coroutine[Any, Any, object], name: str) -> None:
        task = asyncio.get_running_loop().create_task(_logged(work, name), name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _logged(work: Coroutine[Any, Any, object], name: str) -> None:
    try:
        await work
    except Exception:
        log.exception("background work failed: %s", name)
