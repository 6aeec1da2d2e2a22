"""What a tool may use while it runs. Built once a call by the tool runner; nothing global."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from kram.base import Clock
from kram.events import Emit, Todo, UserPort
from kram.messages import Entry, Fact, SessionHit
from kram.workspace import Artifacts, Processes, ReadLedger, Skills, Workspace


class TodoList(Protocol):
    """The session's todo list. `set` stores before it returns."""

    def get(self) -> tuple[Todo, ...]: ...

    def set(self, todos: tuple[Todo, ...]) -> None: ...


class Recall(Protocol):
    """What was said and kept earlier. Wrong ids, a full memory and the like raise `UsageError`."""

    def search(self, query: str, *, limit: int, subagents: bool, everywhere: bool) -> list[SessionHit]: ...

    def entry(self, entry_id: str) -> Entry | None:
        """One entry of the open session, folded ones included."""
        ...

    def facts(self) -> list[Fact]: ...

    def find_facts(self, query: str) -> list[Fact]: ...

    def add_fact(self, content: str, *, everywhere: bool, pinned: bool) -> Fact: ...

    def change_fact(
        self, fact_id: str, *, content: str | None, everywhere: bool | None, pinned: bool | None
    ) -> Fact: ...

    def remove_fact(self, fact_id: str) -> Fact: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """Collaborators and identity of one call.

    `progress` takes new output text as it appears. `run_command` is the text to run for a judged shell command: the rebuilt
    one after an automatic allow, else what the person approved; "" for tools without a command.
    """

    session_id: str
    call_id: str
    workspace: Workspace
    ledger: ReadLedger
    processes: Processes
    artifacts: Artifacts
    todos: TodoList
    recall: Recall
    skills: Callable[[], Skills]
    user: UserPort
    emit: Emit
    clock: Clock
    progress: Callable[[str], None]
    run_command: str = ""
