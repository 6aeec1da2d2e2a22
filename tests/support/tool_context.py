"""What a tool gets, with real collaborators in a scratch folder, and a record of what it said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from kram.base import SystemClock
from kram.events import ApprovalAnswer, ApprovalRequest, Event, Todo
from kram.runtime.recall import StoreRecall
from kram.sessions import Store
from kram.tools import ToolContext
from kram.workspace import Artifacts, Processes, ProcessInfo, ReadLedger, Workspace, find_skills


@dataclass
class Answers:
    """A person who answers every question with the next of `answers`, None when there is none left."""

    answers: list[str | None] = field(default_factory=list)
    asked: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)

    async def approve(self, request_id: str, request: ApprovalRequest) -> ApprovalAnswer:
        return ApprovalAnswer(decision="deny")

    async def ask(self, question_id: str, question: str, options: tuple[str, ...]) -> str | None:
        self.asked.append((question, options))
        return self.answers.pop(0) if self.answers else None


class Todos:
    def __init__(self) -> None:
        self._todos: tuple[Todo, ...] = ()

    def get(self) -> tuple[Todo, ...]:
        return self._todos

    def set(self, todos: tuple[Todo, ...]) -> None:
        self._todos = todos


@dataclass
class Stage:
    """`root` is the project. `progress` and `events` are what was said, `changes` what became of processes."""

    folder: Path
    person: Answers = field(default_factory=Answers)
    progress: list[str] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    changes: list[ProcessInfo] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.root = self.folder / "project"
        self.root.mkdir()
        clock = SystemClock()
        self.processes = Processes(clock, self.changes.append)
        self.artifacts = Artifacts(self.folder / "artifacts", clock)
        self.store = Store.open(self.folder / "kram.db", clock)
        self.session_id = self.store.create(self.root).id
        self.context = ToolContext(
            session_id=self.session_id,
            call_id="call_0",
            workspace=Workspace(self.root),
            ledger=ReadLedger(),
            processes=self.processes,
            artifacts=self.artifacts,
            todos=Todos(),
            recall=StoreRecall(self.store, self.root, self.session_id),
            skills=lambda: find_skills([(self.folder / "skills", "user")]),
            user=self.person,
            emit=self.events.append,
            clock=clock,
            progress=self.progress.append,
        )

    def with_command(self, command: str) -> ToolContext:
        return replace(self.context, run_command=command)

    def on_progress(self, told: Callable[[str], None]) -> ToolContext:
        return replace(self.context, progress=told)
