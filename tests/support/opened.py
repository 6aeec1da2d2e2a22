"""A real runtime in a temporary workspace: scripted model, scripted person, real store, tools and processes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from kram import events
from kram.events import ApprovalAnswer, ApprovalRequest
from kram.runtime import Options, Runtime


class ScriptedUser:
    """Answers approvals and questions from lists, the last one for ever; what it was shown is in `asked`."""

    def __init__(
        self, approvals: Sequence[ApprovalAnswer | str] = ("once",), answers: Sequence[str | None] = ("yes",)
    ) -> None:
        self._approvals = list(approvals)
        self._answers = list(answers)
        self.asked: list[ApprovalRequest] = []
        self.questions: list[str] = []
        self.before_answer: Callable[[], None] = lambda: None

    async def approve(self, request_id: str, request: ApprovalRequest) -> ApprovalAnswer:
        self.asked.append(request)
        self.before_answer()
        answer = self._approvals.pop(0) if len(self._approvals) > 1 else self._approvals[0]
        if answer == "wait":
            await asyncio.Event().wait()
        return answer if isinstance(answer, ApprovalAnswer) else ApprovalAnswer(decision=answer)  # type: ignore[arg-type]

    async def ask(self, question_id: str, question: str, options: tuple[str, ...]) -> str | None:
        self.questions.append(question)
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


class Heard:
    """Everything a runtime said."""

    def __init__(self, runtime: Runtime) -> None:
        self.events: list[Any] = []
        self._waiting: list[tuple[Callable[[Any], bool], asyncio.Event]] = []
        runtime.subscribe(self._hear)

    def _hear(self, stamped: events.Stamped) -> None:
        self.events.append(stamped.event)
        for fits, seen in self._waiting:
            if fits(stamped.event):
                seen.set()

    def of(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    async def until(self, fits: Callable[[Any], bool]) -> None:
        """Waits for an event that fits, also one that was heard already."""
        seen = asyncio.Event()
        if any(fits(event) for event in self.events):
            return
        self._waiting.append((fits, seen))
        async with asyncio.timeout(20):
            await seen.wait()


@asynccontextmanager
async def opened(
    folder: Path, script: str, *, user: ScriptedUser | None = None, **options: Any
) -> AsyncIterator[tuple[Runtime, Heard]]:
    """`folder/ws` is the workspace, `folder/home` kram's own."""
    workspace = folder / "ws"
    workspace.mkdir(exist_ok=True)
    path = folder / "script.toml"
    path.write_text("version = 1\n" + script)
    runtime = await Runtime.open(
        workspace,
        Options(script=str(path), **options),
        user=user or ScriptedUser(),
        env={"KRAM_HOME": str(folder / "home")},
    )
    try:
        yield runtime, Heard(runtime)
    finally:
        await runtime.close()
