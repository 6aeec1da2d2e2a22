"""Rules: a tool, a pattern, a decision. `bash(git status*)`, `edit_file(src/**)`, `mcp__github__*`, `read_file`."""

from __future__ import annotations

import re

from kram.base import Data, UsageError

from .verdict import Decision

_RULE = re.compile(r"(?P<tool>[A-Za-z_][\w.-]*\*?|\*)(?:\((?P<pattern>.*)\))?", re.DOTALL)
SHELL_TOOLS = ("bash", "run_background")


class Rule(Data, forbid_unknown_fields=True):
    """`source` says where the rule stands, for explanations. An empty pattern or `*` fits every call of the tool."""

    tool: str
    decision: Decision
    pattern: str = ""
    source: str = ""

    def __str__(self) -> str:
        return f"{self.tool}({self.pattern})" if self.pattern else self.tool

    def fits_tool(self, tool: str) -> bool:
        if self.tool.endswith("*"):
            return tool.startswith(self.tool[:-1])
        # A rule about the shell is about every tool that runs shell text.
        return tool == self.tool or (self.tool == "bash" and tool in SHELL_TOOLS)

    @property
    def any_call(self) -> bool:
        return self.pattern in ("", "*")

    def specificity(self) -> tuple[int, int]:
        """The more specific of two fitting rules: exact before star, tool by name before a glob of tools."""
        exact = 1 if "*" in self.pattern else 2
        pattern = 0 if self.any_call else exact
        return (0 if self.tool.endswith("*") else 1), pattern


def parse_rule(text: str, decision: Decision, source: str = "") -> Rule:
    """Raises `UsageError` naming the rule."""
    found = _RULE.fullmatch(text.strip())
    if found is None:
        raise UsageError(f"Not a permission rule: {text!r}", todo="Write tool or tool(pattern), e.g. bash(git status*)")
    return Rule(tool=found["tool"], pattern=found["pattern"] or "", decision=decision, source=source)
