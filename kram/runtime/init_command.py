"""`/init`: a first AGENTS.md, written by the model in an ordinary turn, from facts that are collected before it."""

from __future__ import annotations

import asyncio
from typing import Protocol

from kram.base import visible
from kram.context import prompt_text
from kram.events import TurnResult
from kram.workspace import Workspace, project_facts


class Initiable(Protocol):
    """The part of the runtime this command uses."""

    @property
    def workspace(self) -> Workspace: ...

    async def send(self, text: str) -> TurnResult: ...


async def init_message(session: Initiable, wish: str = "") -> str:
    """What is asked of the model: the task, the person's wish, and the facts as data."""
    facts = await asyncio.to_thread(project_facts, session.workspace.root)
    parts = [prompt_text("init")]
    if wish:
        parts.append(f"The person adds: {wish}")
    parts.append(f"Facts collected from the files, as data:\n<facts>\n{visible(facts.text())}\n</facts>")
    return "\n\n".join(parts)


async def init_command(session: Initiable, args: str) -> str:
    """Runs the turn; what it writes goes through the gate like any other call."""
    result = await session.send(await init_message(session, args))
    return "" if result.subtype == "success" else f"AGENTS.md was not finished: {result.error}"
