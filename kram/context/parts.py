"""Prompt parts: what stands around the history, where, and how often it may change.

Order is static, then run, then iteration; a request's bytes are the same up to the first part that may change, which is
where the prompt-cache mark goes. No part is ever stored in the history.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from kram.base import Data

from .tokens import estimate

Placement: TypeAlias = Literal["preamble", "post-history"]
Refresh: TypeAlias = Literal["static", "run", "iteration"]

_ORDER: dict[Refresh, int] = {"static": 0, "run": 1, "iteration": 2}


class PromptPart(Data):
    """`id` names the part in the panel; `category` is the row of the context panel it is counted in."""

    id: str
    content: str
    placement: Placement = "preamble"
    refresh: Refresh = "static"
    source: str = "builtin"
    category: str = "system_prompt"

    @property
    def tokens(self) -> int:
        return estimate(self.content)


class Prompt(Data):
    """System segments with the boundary after the last stable one, and the text that goes after the history."""

    system: tuple[str, ...]
    dynamic_boundary: int
    post_history: tuple[str, ...]
    parts: tuple[PromptPart, ...]

    @property
    def tokens(self) -> int:
        return sum(part.tokens for part in self.parts)


def assemble(parts: Sequence[PromptPart]) -> Prompt:
    """Orders parts by refresh class (stable within one) and leaves blank ones out."""
    present = [part for part in parts if part.content.strip()]
    preamble = sorted((p for p in present if p.placement == "preamble"), key=lambda p: _ORDER[p.refresh])
    after = [p for p in present if p.placement == "post-history"]
    stable = sum(1 for part in preamble if part.refresh != "iteration")
    return Prompt(
        system=tuple(part.content.strip() for part in preamble),
        dynamic_boundary=stable,
        post_history=tuple(part.content.strip() for part in after),
        parts=(*preamble, *after),
    )
