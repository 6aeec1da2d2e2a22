"""From the prompt to the runtime: an idle session runs a turn in a worker, a busy one is steered or queued."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from kram.base import KramError
from kram.events import Notice
from kram.runtime import Runtime


class Turns:
    """`run` starts a piece of work that the screen owns."""

    def __init__(self, runtime: Runtime, run: Callable[[Awaitable[None]], None], ended: Callable[[], None]) -> None:
        self._runtime = runtime
        self._run = run
        self._ended = ended

    def say(self, text: str, *, later: bool) -> None:
        """Sends, steers or queues."""
        if self._runtime.busy:
            if later:
                self._runtime.queue(text)
            else:
                self._runtime.steer(text)
        else:
            self._run(self._send(text))

    async def _send(self, text: str) -> None:
        try:
            await self._runtime.send(text)
        except KramError as failure:
            self._runtime.emit(Notice(text=str(failure), level="error"))
        finally:
            self._ended()

    def stop(self) -> list[str]:
        """Stops the turn; what was waiting comes back as text."""
        taken = [self._runtime.unqueue(item.id) for item in self._runtime.queued()]
        self._runtime.interrupt()
        return [text for text in taken if text]
