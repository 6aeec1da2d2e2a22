"""Entries as a person reads them in a list: one short line each."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from kram.base import one_line
from kram.messages import Entry, Kind

LABEL_CHARS = 80
SUBJECTS = ("path", "file_path", "command", "cmd", "pattern", "query", "url", "question", "old_path", "id")


def calls_by_id(entries: Sequence[Entry]) -> dict[str, Entry]:
    return {one.tool_call_id: one for one in entries if one.kind == Kind.TOOL_CALL and one.tool_call_id}


def subject(call: Entry | None) -> str:
    """What a call is about: its path, command or the like; "" where none is named."""
    if call is None:
        return ""
    try:
        arguments = json.loads(call.content or "{}")
    except (ValueError, RecursionError):
        return ""
    if not isinstance(arguments, dict):
        return ""
    return next((value for name in SUBJECTS if isinstance(value := arguments.get(name), str) and value), "")


def subjects(entries: Sequence[Entry]) -> dict[str, str]:
    """Entry id -> what a call or a result is about; each call is read once."""
    about = {call_id: subject(call) for call_id, call in calls_by_id(entries).items()}
    return {one.id: about[one.tool_call_id] for one in entries if one.tool_call_id in about}


def label(one: Entry, about: Mapping[str, str]) -> str:
    """One line: what was said, or the tool with what it is about (see `subjects`)."""
    if one.kind in (Kind.TOOL_CALL, Kind.TOOL_RESULT):
        return one_line(f"{one.tool_name} {about.get(one.id, '')}".strip(), LABEL_CHARS)
    head = f"[{one.tag}] " if one.tag else ""
    said = one.content[: LABEL_CHARS * 3].strip()
    return one_line(f"{head}{said or '(nothing said)'}", LABEL_CHARS)
