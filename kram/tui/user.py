"""The person behind the interface: approvals and questions become dialogs, one after the other."""

from __future__ import annotations

import asyncio
from typing import Any

from textual.app import App
from textual.screen import ModalScreen

from kram.events import ApprovalAnswer, ApprovalRequest

from .dialogs.approval import ApprovalDialog
from .dialogs.question import QuestionDialog
from .notify import ask_for_attention


class TuiUser:
    """A `UserPort`. A cancelled turn closes its dialog; the next request waits until the one before is answered."""

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._turn = asyncio.Lock()

    async def approve(self, request_id: str, request: ApprovalRequest) -> ApprovalAnswer:
        async with self._turn:
            answer = await self._show(ApprovalDialog(request), "kram asks for approval")
        return answer if answer is not None else ApprovalAnswer(decision="deny")

    async def ask(self, question_id: str, question: str, options: tuple[str, ...]) -> str | None:
        async with self._turn:
            answer: str | None = await self._show(QuestionDialog(question, options), "kram asks a question")
            return answer

    async def _show(self, dialog: ModalScreen[Any], why: str) -> Any:
        answered: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

        def done(result: Any) -> None:
            if not answered.done():
                answered.set_result(result)

        ask_for_attention(self._app, why)
        self._app.push_screen(dialog, done)
        try:
            return await answered
        except asyncio.CancelledError:
            # What was opened above it closes with it.
            while dialog in self._app.screen_stack and self._app.screen is not dialog:
                self._app.pop_screen()
            if self._app.screen is dialog:
                dialog.dismiss(None)
            raise
