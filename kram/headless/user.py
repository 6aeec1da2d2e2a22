"""The person of a headless run: nobody (policy answers), or a program that answers by id over stdin."""

from __future__ import annotations

from kram.events import ApprovalAnswer, ApprovalRequest


class NobodyUser:
    """Denies what would ask; answers no question. Allow rules and modes decide before anyone is asked."""

    async def approve(self, request_id: str, request: ApprovalRequest) -> ApprovalAnswer:
        hint = f"it would need --allow '{request.rule}'" if request.rule else "it needs a person"
        return ApprovalAnswer(decision="deny", note=f"nobody can approve in a headless run; {hint}.", by="policy")

    async def ask(self, question_id: str, question: str, options: tuple[str, ...]) -> str | None:
        return None
