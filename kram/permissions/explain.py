"""What would be decided for a call, as plain data: for `kram permissions explain` and for scripts."""

from __future__ import annotations

import json
from pathlib import Path

from kram.base import Intent, Json, UsageError, resolve

from .engine import judge
from .policy import Policy
from .verdict import AccessClass, Call, Verdict

_PATH_TOOLS: dict[str, Intent] = {
    "read_file": "read",
    "write_file": "write",
    "edit_file": "write",
    "delete_file": "delete",
    "list_dir": "read",
}


def explain_command(command: str, policy: Policy, root: Path) -> Verdict:
    return judge(Call(tool="bash", access="execute", command=command, subject=command, root=str(root)), policy)


def explain_line(line: str, policy: Policy, root: Path) -> Json:
    """One JSON line `{"tool", "args"}` to `{"verdict", "parts", "reason"}`. Raises `UsageError` for a line that is none."""
    try:
        asked = json.loads(line)
        tool, args = asked["tool"], asked["args"]
        if tool in ("bash", "run_background"):
            return as_json(explain_command(args["command"], policy, root))
        intent = _PATH_TOOLS[tool]
        target = resolve(args["path"], intent, root=root)
    except (ValueError, KeyError, TypeError) as failure:
        raise UsageError(f"Not a call: {line[:200]}", todo='Give {"tool": …, "args": {…}} a line') from failure
    access: AccessClass = "read" if intent == "read" else "write"
    return as_json(
        judge(Call(tool=tool, access=access, targets=(target,), subject=args["path"], root=str(root)), policy)
    )


def as_json(verdict: Verdict) -> Json:
    return {
        "verdict": verdict.decision,
        "parts": [
            {"text": part.text, "verdict": part.decision, "rule": part.rule, "reason": part.reason}
            for part in verdict.parts
        ],
        "reason": verdict.reason,
    }
