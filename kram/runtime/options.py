"""What a front end asks of a runtime, from flags and environment; everything has a default."""

from __future__ import annotations

from typing import Literal, TypeAlias

from kram.base import Data
from kram.permissions import Mode

Which: TypeAlias = Literal["new", "continue", "resume", "fork"]


class Options(Data):
    """Flags of one run; "" and 0 mean "not given", so that configuration decides.

    - `session`: a new one, the newest here, one by id, or a copy of one by id (`session_id`).
    - `allow`, `ask`, `deny`: rules as `tool(pattern)`. `add_dirs`: further writable roots.
    - `max_turns`: model calls of one turn. `max_seconds`, `max_cost_usd`, `max_tokens`: budgets of one turn.
    - `system_prompt` replaces the base prompt, `append_system_prompt` adds to it; both are texts, already read.
    - `trust`: what the project brings counts for this run, whatever was answered about it.
    - `isolated`: a folder that takes the place of every folder of kram, for tours.
    - `script`: a scenario file for the scripted provider, which then is the only model.
    """

    session: Which = "new"
    session_id: str = ""
    title: str = ""
    model: str = ""
    strategy: str = ""
    permission_mode: Mode | Literal[""] = ""
    allow: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    add_dirs: tuple[str, ...] = ()
    max_turns: int = 0
    max_cost_usd: float = 0.0
    max_tokens: int = 0
    max_seconds: float = 0.0
    system_prompt: str = ""
    append_system_prompt: str = ""
    config_file: str = ""
    theme: str = ""
    script: str = ""
    isolated: str = ""
    trust: bool = False
    debug: bool = False
