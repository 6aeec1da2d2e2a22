"""What would be decided for a call, as plain data: for `kram permissions explain` and `test`, and for scripts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

from kram.base import Data, Intent, Json, UsageError, resolve

from .engine import judge
from .policy import Policy
from .rules import SHELL_TOOLS
from .verdict import AccessClass, Call, Decision, Verdict

_PATH_TOOLS: dict[str, tuple[tuple[str, Intent], ...]] = {
    "read_file": (("path", "read"),),
    "list_dir": (("path", "read"),),
    "glob_files": (("path", "read"),),
    "grep": (("path", "read"),),
    "write_file": (("path", "write"),),
    "edit_file": (("path", "write"),),
    "delete_file": (("path", "delete"),),
    "move_file": (("source", "delete"), ("destination", "write"), ("from", "delete"), ("to", "write")),
}
_EXPECTED: dict[str, Decision] = {one: one for one in get_args(Decision)}
_SHAPE = 'Give {"tool": "bash", "args": {"command": "…"}} a line'


def explain_command(command: str, policy: Policy, root: Path) -> Verdict:
    """The verdict for shell text that would run in the project's folder."""
    return judge(Call(tool="bash", access="execute", command=command, subject=command, root=str(root)), policy)


def explain_line(line: str, policy: Policy, root: Path) -> Json:
    """One JSON line `{"tool", "args"}` to `{"verdict", "parts", "reason", "rule"}`. Raises `UsageError` for any other."""
    try:
        asked = json.loads(line)
    except (ValueError, RecursionError) as failure:
        raise UsageError(f"Not a line of JSON: {line.strip()[:200]}", todo=_SHAPE) from failure
    if not isinstance(asked, Mapping) or not isinstance(asked.get("tool"), str):
        raise UsageError(f"Not a call: {line.strip()[:200]}", todo=_SHAPE)
    args = asked.get("args", {})
    if not isinstance(args, Mapping):
        raise UsageError(f"'args' is no object: {line.strip()[:200]}", todo=_SHAPE)
    return as_json(judge(_call(asked["tool"], args, root, line), policy))


def _call(tool: str, args: Mapping[str, Any], root: Path, line: str) -> Call:
    if tool in SHELL_TOOLS:
        command = args.get("command")
        if not isinstance(command, str):
            raise UsageError(f"'command' is no text: {line.strip()[:200]}", todo=_SHAPE)
        cwd = str(args.get("cwd") or "")
        return Call(tool=tool, access="execute", command=command, subject=command, cwd=cwd, root=str(root))
    places = _PATH_TOOLS.get(tool)
    if places is None:
        subject = json.dumps(dict(args), ensure_ascii=False, sort_keys=True)
        return Call(tool=tool, access="execute", arguments=args, subject=subject, root=str(root))
    given = [(str(args[key]), intent) for key, intent in places if key in args]
    if not given and places[0][1] == "read" and tool != "read_file":
        given = [(".", "read")]
    if not given:
        raise UsageError(f"'{places[0][0]}' is missing: {line.strip()[:200]}", todo=_SHAPE)
    targets = tuple(resolve(path, intent, root=root) for path, intent in given)
    access: AccessClass = "read" if places[0][1] == "read" else "write"
    return Call(tool=tool, access=access, arguments=args, targets=targets, subject=given[0][0], root=str(root))


def as_json(verdict: Verdict) -> Json:
    """`rule` is the rule that denies, or what "always" would keep."""
    return {
        "verdict": verdict.decision,
        "parts": [
            {
                "text": part.text,
                "verdict": part.decision,
                "rule": part.rule,
                "reason": part.reason,
                "argv": list(part.argv),
            }
            for part in verdict.parts
        ],
        "reason": verdict.reason,
        "rule": verdict.rule,
    }


class Checked(Data):
    """One case of a policy test: what was expected and what would be decided."""

    command: str
    expected: Decision
    found: Verdict

    @property
    def ok(self) -> bool:
        return self.expected == self.found.decision


def check_cases(content: Mapping[str, Any], policy: Policy, root: Path) -> Iterator[Checked]:
    """Cases of a test file: `[[cases]]` with `command` and `verdict`. Raises `UsageError` naming the case that is wrong."""
    cases = content.get("cases", [])
    if not isinstance(cases, Iterable) or isinstance(cases, str | Mapping):
        raise UsageError("'cases' is no list", todo="Write [[cases]] with command and verdict")
    for number, case in enumerate(cases, start=1):
        command = case.get("command") if isinstance(case, Mapping) else None
        expected = _EXPECTED.get(str(case.get("verdict"))) if isinstance(case, Mapping) else None
        if not isinstance(command, str) or expected is None:
            raise UsageError(f"Case {number} lacks a command or a verdict", todo="verdict is allow, ask or deny")
        yield Checked(command=command, expected=expected, found=explain_command(command, policy, root))
