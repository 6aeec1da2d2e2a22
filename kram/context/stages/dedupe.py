"""The same file read twice, the same listing twice: the earlier copy becomes a line that says so.

A file's content has to be the same for that. Of commands only those that look are considered. Contents are compared by the
first 64 bits of their SHA-256.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256

import msgspec

from kram.context.policy import StageReport, ViewPolicy
from kram.context.tail import protected, tail_start
from kram.context.view import staged
from kram.messages import Entry, Kind

READERS: Mapping[str, tuple[str, ...]] = {"read_file": ("path", "file_path"), "read": ("path", "file_path")}
SHELLS: Mapping[str, tuple[str, ...]] = {"bash": ("command", "cmd"), "shell": ("command", "cmd")}
LOOKING = frozenset({"ls", "find", "pwd", "cat", "echo", "head", "tail", "wc"})
MAX_OUTPUTS = 10
"""Different outputs of one command that are remembered; the oldest goes first."""


def dedupe(entries: Sequence[Entry], policy: ViewPolicy) -> tuple[list[Entry], StageReport]:
    start = tail_start(entries, policy)
    spared = protected(entries, policy)
    kept = list(entries)
    for at, text in repeated(entries).items():
        if at < start and entries[at].id not in spared and len(text) < len(entries[at].content):
            kept[at] = msgspec.structs.replace(entries[at], content=text, parts=())
    return staged("dedupe", entries, kept, policy)


def repeated(entries: Sequence[Entry]) -> dict[int, str]:
    """Index of each result that comes again later with the same content -> the line that takes its place."""
    calls = {one.tool_call_id: one for one in entries if one.kind == Kind.TOOL_CALL}
    last: dict[tuple[str, str], dict[str, int]] = {}
    lines: dict[int, str] = {}
    for at, one in enumerate(entries):
        call = calls.get(one.tool_call_id)
        if one.kind != Kind.TOOL_RESULT or one.is_error or call is None:
            continue
        sort, subject = _subject(call)
        if not subject:
            continue
        seen = last.setdefault((sort, subject), {})
        content = sha256(one.content.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        if content in seen:
            lines[seen.pop(content)] = f"[Earlier {sort}: {subject}]"
        elif len(seen) >= MAX_OUTPUTS:
            seen.pop(next(iter(seen)))
        seen[content] = at
    return lines


def _subject(call: Entry) -> tuple[str, str]:
    """What a call looked at; "" for a call that is not of the sort."""
    if path := _argument(call, READERS.get(call.tool_name, ())):
        return "file read", path
    command = _argument(call, SHELLS.get(call.tool_name, ()))
    words = command.split(maxsplit=1)
    return ("command output", command) if words and words[0] in LOOKING else ("", "")


def _argument(call: Entry, names: tuple[str, ...]) -> str:
    if not names:
        return ""
    try:
        arguments = json.loads(call.content or "{}")
    except (ValueError, RecursionError):
        return ""
    if not isinstance(arguments, dict):
        return ""
    found = next((arguments[name] for name in names if name in arguments), "")
    return found if isinstance(found, str) else ""
