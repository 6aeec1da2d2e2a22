"""Everything one turn works with, passed in as a whole and never reached for globally."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from kram.base import Clock, NoTracer, Redactor, Tracer
from kram.config import Combo
from kram.context import Estimator, ViewPolicy
from kram.events import Emit, UserPort
from kram.gateway import Gateway
from kram.permissions import GrantStore, Policy
from kram.tools import Encoding, Recall, TodoList, ToolRegistry
from kram.workspace import Artifacts, Processes, ReadLedger, Skills, Workspace

from .hooks import Hooks
from .inbox import Inbox
from .limits import Limits
from .notices import Preparer
from .prompting import PromptSources
from .record import Record
from .reminding import Reminding


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """The collaborators of a turn. `policy` and `combo` are asked anew for every call, since the person may change them.
    `summary_combo` writes summaries; None leaves that to the session's own. `refused` is the folder for requests that a
    provider called wrong."""

    record: Record
    emit: Emit
    clock: Clock
    gateway: Gateway
    combo: Callable[[], Combo]
    summary_combo: Callable[[], Combo | None]
    policy: Callable[[], Policy]
    grants: GrantStore
    registry: ToolRegistry
    prompt: PromptSources
    view_policy: ViewPolicy
    estimator: Estimator
    limits: Limits
    inbox: Inbox
    user: UserPort
    workspace: Workspace
    ledger: ReadLedger
    processes: Processes
    artifacts: Artifacts
    todos: TodoList
    recall: Recall
    skills: Callable[[], Skills]
    reminding: Reminding
    redactor: Redactor
    refused: Path
    encoding: Encoding = "none"
    transclusion: bool = True
    hooks: Hooks = field(default_factory=Hooks)
    preparers: tuple[Preparer, ...] = ()
    tracer: Tracer = field(default_factory=NoTracer)
