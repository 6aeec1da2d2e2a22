"""What probes find."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from kram.base import Data, one_line
from kram.config import ModelSettings

Answer: TypeAlias = Literal["yes", "no", "partly", "unknown", "failed"]
"""unknown: it could not be told, for instance since the model is too weak; failed: the request came to nothing."""


MAX_CHARS = 240


class Outcome(Data):
    """One probe. `facts` are settings of the model that were learnt (names as in the configuration); `quirks` are added, with
    `!` in front taken away."""

    name: str
    answer: Answer
    text: str
    facts: dict[str, Any] = {}
    quirks: tuple[str, ...] = ()


def outcome(
    name: str, answer: Answer, text: str, *, facts: dict[str, Any] | None = None, quirks: tuple[str, ...] = ()
) -> Outcome:
    """The same in the order one would say it; texts of servers are cut."""
    return Outcome(name=name, answer=answer, text=one_line(text, MAX_CHARS), facts=facts or {}, quirks=quirks)


class Report(Data):
    """All outcomes, and the settings that follow. `problem`: why it could not be probed at all, with what to do."""

    candidate: str
    outcomes: tuple[Outcome, ...] = ()
    facts: ModelSettings = ModelSettings()
    requests: int = 0
    problem: str = ""
    todo: str = ""
