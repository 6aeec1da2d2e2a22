"""The one way to reach the person. Every front end brings its own port; the runtime brings one that waits for answers by id."""

from __future__ import annotations

from typing import Protocol

from .events import ApprovalAnswer, ApprovalRequest


class UserPort(Protocol):
    """Both calls may block for as long as a person thinks and are cancelled when the turn stops.

    `approve` never answers "once" or "always" by itself without a person or a stated policy behind it. `ask` returns the
    chosen option or free text, None where nobody can answer.
    """

    async def approve(self, request_id: str, request: ApprovalRequest) -> ApprovalAnswer: ...

    async def ask(self, question_id: str, question: str, options: tuple[str, ...]) -> str | None: ...
