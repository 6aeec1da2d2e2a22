"""The runtime's own port to the person: requests wait until `approve` or `answer` is called with their id."""

from __future__ import annotations

import asyncio
from typing import TypeVar

from kram.base import UsageError
from kram.events import ApprovalAnswer

_T = TypeVar("_T")


class WaitingUser:
    """A `UserPort` for front ends that answer by id."""

    def __init__(self) -> None:
        self._approvals: dict[str, asyncio.Future[ApprovalAnswer]] = {}
        self._questions: dict[str, asyncio.Future[str | None]] = {}

    async def approve(self, request_id: str, request: object) -> ApprovalAnswer:
        return await _wait(self._approvals, request_id)

    async def ask(self, question_id: str, question: str, options: tuple[str, ...]) -> str | None:
        return await _wait(self._questions, question_id)

    def give_approval(self, request_id: str, answer: ApprovalAnswer) -> None:
        """Raises `UsageError` when nothing waits under that id."""
        _resolve(self._approvals, request_id, answer, "approval")

    def give_answer(self, question_id: str, text: str | None) -> None:
        """Raises `UsageError` when nothing waits under that id."""
        _resolve(self._questions, question_id, text, "question")


async def _wait(waiting: dict[str, asyncio.Future[_T]], key: str) -> _T:
    future: asyncio.Future[_T] = asyncio.get_running_loop().create_future()
    waiting[key] = future
    try:
        return await future
    finally:
        waiting.pop(key, None)


def _resolve(waiting: dict[str, asyncio.Future[_T]], key: str, value: _T, what: str) -> None:
    future = waiting.get(key)
    if future is None or future.done():
        known = ", ".join(waiting) or "none"
        raise UsageError(f"No {what} waits under the id '{key}'", todo=f"Waiting: {known}")
    future.set_result(value)
