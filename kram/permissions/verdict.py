"""The question and the answer of the permission gate, as plain data."""

from __future__ import annotations

from typing import Literal, TypeAlias

from kram.base import Data, JsonView
from kram.base.targets import Target

Decision: TypeAlias = Literal["allow", "ask", "deny"]
Mode: TypeAlias = Literal["ask", "accept-edits", "plan", "auto"]
AccessClass: TypeAlias = Literal["read", "write", "execute", "network", "user", "none"]

SEVERITY: dict[Decision, int] = {"allow": 0, "ask": 1, "deny": 2}


class Call(Data):
    """One tool call as the gate sees it: targets are resolved, `command` is shell text ("" for tools without one).

    `cwd` as the call gives it, relative to `root` or absolute; `roots` are further folders that count as inside.
    """

    tool: str
    access: AccessClass
    arguments: JsonView = {}
    subject: str = ""
    targets: tuple[Target, ...] = ()
    command: str = ""
    cwd: str = ""
    root: str = ""
    roots: tuple[str, ...] = ()


class Part(Data):
    """One simple command, path or the call as a whole, with its own verdict.

    `argv`: the words of a command after quote removal, U+FFFD in them where only the shell knows.
    """

    text: str
    decision: Decision
    rule: str = ""
    reason: str = ""
    argv: tuple[str, ...] = ()


class Verdict(Data):
    """What the gate says. `rule` is what "always" would store, "" where always must not be offered.

    `safe_command` is the command rebuilt from what was judged; an automatic allow runs this, not the original text.
    """

    decision: Decision
    reason: str
    parts: tuple[Part, ...] = ()
    rule: str = ""
    safe_command: str = ""
