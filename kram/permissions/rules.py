"""Rules: a tool, a pattern, a decision. `bash(git status*)`, `edit_file(src/**)`, `mcp__github__*`, `read_file`.

What a pattern is depends on the tool: words of a command, a path, or the subject of any other call (an address, a name).
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from kram.base import Data, UsageError

from .shell.patterns import pattern_of
from .verdict import Decision

_RULE = re.compile(r"(?P<tool>[A-Za-z_][\w.-]*\*?|\*)(?:\((?P<pattern>.*)\))?", re.DOTALL)
_HOW = "Write tool or tool(pattern), e.g. bash(git status*) or edit_file(src/**)"
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
        return self.pattern.strip() in ("", "*", "**")

    def specificity(self) -> tuple[int, int, int]:
        """To compare rules that fit the same call: a tool by name first, then a pattern without a star, then the longer one."""
        by_name = 0 if self.tool.endswith("*") else 1
        if self.any_call:
            return by_name, 0, 0
        literal = re.split(r"[*?]", self.pattern)[0].rstrip()
        return by_name, 2 if literal == self.pattern.rstrip() else 1, len(literal)


def parse_rule(text: str, decision: Decision, source: str = "") -> Rule:
    """Raises `UsageError` naming the rule."""
    found = _RULE.fullmatch(text.strip())
    if found is None:
        raise UsageError(f"Not a permission rule: {text!r}", where=source, todo=_HOW)
    return checked(Rule(tool=found["tool"], pattern=(found["pattern"] or "").strip(), decision=decision, source=source))


def checked(rule: Rule) -> Rule:
    """The rule itself. Raises `UsageError` for a pattern that could never mean what it says."""
    name = str(rule)
    if not re.fullmatch(r"[A-Za-z_][\w.-]*\*?|\*", rule.tool):
        raise UsageError(f"Not a tool's name in a permission rule: {rule.tool!r}", where=rule.source, todo=_HOW)
    if "\0" in rule.pattern:
        raise UsageError(f"The permission rule {name!r} holds a NUL character", where=rule.source)
    if rule.tool in SHELL_TOOLS and not rule.any_call:
        try:
            pattern_of(rule.pattern)
        except ValueError as failure:
            raise UsageError(f"The permission rule {name!r} cannot be used: {failure}", where=rule.source) from failure
    elif ".." in re.split(r"[/\\]", rule.pattern) and rule.tool.endswith("_file"):
        todo = "Write the path as it really is, absolute or from the project's folder"
        raise UsageError(f"The permission rule {name!r} holds '..'", where=rule.source, todo=todo)
    return rule


def subject_fits(subject: str, pattern: str, *, wide: bool) -> bool:
    """An exact subject, or one that begins like the pattern before its final star. Addresses are compared by their parts."""
    if "://" in pattern:
        return _address_fits(subject, pattern, wide=wide)
    if pattern.endswith("*"):
        return subject.startswith(pattern[:-1])
    return subject == pattern


def _address_fits(subject: str, pattern: str, *, wide: bool) -> bool:
    star = pattern.endswith("*")
    try:
        given, wanted = urlsplit(subject.strip()), urlsplit(pattern.rstrip("*"))
        same_port = given.port == wanted.port
    except ValueError:
        return wide
    host, wanted_host = (given.hostname or "").rstrip("."), (wanted.hostname or "").rstrip(".")
    # `*.example.com` is every name below it, never one that only ends in the same letters.
    same_host = host == wanted_host or (wanted_host.startswith("*.") and host.endswith(wanted_host[1:]))
    if given.scheme != wanted.scheme or not same_host or not same_port:
        return False
    if not wide and (given.username is not None or re.search(r"[\x00-\x20\\]", subject)):
        return False
    path, wanted_path = given.path or "/", wanted.path or "/"
    if not star:
        return path == wanted_path and given.query == wanted.query
    return path.startswith(wanted_path) and (wide or "/../" not in f"{path}/")
