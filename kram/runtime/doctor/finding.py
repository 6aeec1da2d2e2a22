"""What a check says."""

from __future__ import annotations

from typing import Literal, TypeAlias

from kram.base import Data

State: TypeAlias = Literal["ok", "warning", "problem", "skipped"]


class Finding(Data):
    """One line. `family` groups lines, `name` is what was looked at; `todo` is what helps, where something does.

    warning: something works less well than it could. problem: something does not work. skipped: there was nothing to look at.
    """

    family: str
    name: str
    state: State
    text: str
    todo: str = ""


def finding(family: str, name: str, state: State, text: str, todo: str = "") -> Finding:
    """The same in the order one would say it."""
    return Finding(family=family, name=name, state=state, text=text, todo=todo)
