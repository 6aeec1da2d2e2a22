"""The prompt of a session: static parts are built once, run parts at the start of a turn, iteration parts at each call."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kram.context import (
    Prompt,
    PromptPart,
    appended_part,
    assemble,
    base_part,
    environment_part,
    example_exchanges,
    instructions_part,
    memory_part,
    quoting_part,
    reminder_part,
    skills_part,
    tools_part,
)
from kram.messages import Example, ToolSpec
from kram.tools import ToolRegistry
from kram.workspace import Instructions, Skills, Workspace


class PromptSources:
    """Where a session's prompt comes from. `today` and `branch` are read once a turn, so the prefix stays the same within it."""

    def __init__(
        self,
        workspace: Workspace,
        registry: ToolRegistry,
        instructions: Instructions,
        *,
        memory: Callable[[], str],
        skills: Callable[[], Skills],
        today: Callable[[], str],
        branch: Callable[[], str],
        system_prompt: str = "",
        append_system_prompt: str = "",
        quoting: bool = True,
    ) -> None:
        self._workspace = workspace
        self._registry = registry
        self.instructions = instructions
        self._memory = memory
        self._skills = skills
        self._today = today
        self._branch = branch
        self._override = system_prompt
        self._appended = append_system_prompt
        self._quoting = quoting
        self._run: tuple[PromptPart, ...] = ()

    def start_run(self) -> None:
        """Freezes what may change between turns but not within one."""
        self._run = (
            environment_part(self._workspace.root, branch=self._branch(), today=self._today()),
            skills_part(self._skills() if self._registry.get("skill") else Skills()),
            memory_part(self._memory()),
        )

    def tools(self, *, compact: bool) -> tuple[ToolSpec, ...]:
        """Definitions of the visible tools; the compact set for small models."""
        return self._registry.compact_specs() if compact else self._registry.specs()

    def examples(self, *, compact: bool) -> tuple[Example, ...]:
        """Exchanges to learn from, for small models only."""
        return example_exchanges(self._registry.names()) if compact else ()

    def prompt(self, *, compact: bool, reminders: Sequence[tuple[str, str]] = ()) -> Prompt:
        """All parts in order. The compact profile leaves out what a small model cannot use."""
        if not self._run:
            self.start_run()
        parts: list[PromptPart] = [base_part(compact=compact, override=self._override), appended_part(self._appended)]
        if not compact:
            parts += [
                tools_part(self._registry.overview()),
                quoting_part(wanted=self._quoting),
                *self._run,
                instructions_part(self.instructions.current()),
            ]
        parts += [reminder_part(part_id, text) for part_id, text in reminders]
        return assemble(parts)
