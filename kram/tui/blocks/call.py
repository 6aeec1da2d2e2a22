"""What a tool call says about itself in one row: its arguments in short, and the facts of its result."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Literal, TypeAlias

from kram.base import JsonView
from kram.base.text import one_line, visible

State: TypeAlias = Literal["writing", "waiting", "running", "ok", "failed", "denied", "interrupted", "unknown"]

MAX_SUMMARY = 300
QUIET = frozenset((
    "read_file", "list_dir", "glob", "grep", "todo_write", "todo_read", "memory_search", "memory_write", "skill",
    "skill_list", "artifact_read", "process_list", "session_search", "snapshot_list", "move_file", "delete_file",
))  # fmt: skip
"""Tools whose result is for the model: a count says enough until it is opened."""

TAIL_FIRST = frozenset(("bash", "process_output", "run_background", "process_wait"))
"""Tools whose last lines matter most."""

_LEADING = ("command", "path", "file", "pattern", "url", "query", "question", "goal", "name", "id", "old_path", "uri")


def arguments_of(raw: str) -> Mapping[str, object]:
    """The arguments of a call; empty where they are no JSON object."""
    try:
        parsed = json.loads(raw) if raw.strip() else {}
    except ValueError:
        return {}
    return parsed if isinstance(parsed, dict) else {}


def summary(name: str, arguments: Mapping[str, object]) -> str:
    """The arguments in one row of clean text."""
    if name == "move_file":
        return one_line(f"{arguments.get('old_path', '')} → {arguments.get('new_path', '')}", MAX_SUMMARY)
    if isinstance(todos := arguments.get("todos"), list):
        return f"{len(todos)} items"
    lead = next((key for key in _LEADING if isinstance(arguments.get(key), str) and arguments[key]), "")
    parts = [str(arguments[lead])] if lead else []
    if name == "grep" and isinstance(where := arguments.get("path"), str) and lead != "pattern":
        parts = [str(arguments.get("pattern", "")), f"in {where}"]
    if not lead:
        parts = [f"{key}={_short(value)}" for key, value in arguments.items()]
    return one_line(" ".join(parts), MAX_SUMMARY)


def _short(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def spelled_out(name: str, arguments: Mapping[str, object]) -> str:
    """The arguments in full where the summary does not hold them, "" where it does."""
    if name == "bash" and isinstance(command := arguments.get("command"), str):
        return "" if "\n" not in command and len(command) < MAX_SUMMARY // 4 else visible(f"$ {command}")
    long = {key: value for key, value in arguments.items() if len(_short(value)) > MAX_SUMMARY // 4}
    if not long or name in ("edit_file", "write_file"):
        return ""
    return "\n".join(f"{visible(key)}: {visible(_short(value))}" for key, value in arguments.items())


def outcome(*, is_error: bool, status: str, details: JsonView) -> State:
    """How a stored result ended."""
    status = status or str(details.get("status") or "")
    if status == "unknown":
        return "unknown"
    if status == "interrupted":
        return "interrupted"
    if details.get("verdict") == "denied":
        return "denied"
    return "failed" if is_error else "ok"
