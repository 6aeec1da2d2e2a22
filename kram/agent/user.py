"""The person, announced: questions and approvals are told to the subscribers before the port is asked and after it answered."""

from __future__ import annotations

from kram.events import (
    ApprovalAnswer,
    ApprovalAsked,
    ApprovalRequest,
    Emit,
    QuestionAsked,
    UserPort,
    UserPortClosed,
)


class AnnouncedUser:
    """A `UserPort` around the front end's own."""

    def __init__(self, port: UserPort, emit: Emit) -> None:
        self._port = port
        self._emit = emit

    async def approve(self, request_id: str, request: ApprovalRequest) -> ApprovalAnswer:
        self._emit(ApprovalAsked(id=request_id, request=request))
        try:
            return await self._port.approve(request_id, request)
        finally:
            self._emit(UserPortClosed(id=request_id))

    async def ask(self, question_id: str, question: str, options: tuple[str, ...]) -> str | None:
        self._emit(QuestionAsked(id=question_id, question=question, options=options))
        try:
            return await self._port.ask(question_id, question, options)
        finally:
            self._emit(UserPortClosed(id=question_id))
