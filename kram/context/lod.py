"""Level of detail: long tool results outside the pristine tail become stubs. Render-time only; storage keeps the whole."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kram.messages import Entry, Kind

MIN_HEAD = 100


def pristine_tail(entries: Sequence[Entry], messages: int, tools: int) -> int:
    """How many entries at the end stay untouched.

    Users and assistants use up `messages`, calls and results use up `tools`, other kinds pass free; the walk stops at the
    first entry over its allowance. Negative allowances count as 0.
    """
    left = {"message": max(0, messages), "tool": max(0, tools)}
    count = 0
    for entry in reversed(entries):
        if entry.kind in (Kind.USER, Kind.ASSISTANT):
            group = "message"
        elif entry.kind in (Kind.TOOL_CALL, Kind.TOOL_RESULT):
            group = "tool"
        else:
            count += 1
            continue
        if left[group] == 0:
            break
        left[group] -= 1
        count += 1
    return count


def stub(entry: Entry, above_chars: int) -> Entry:
    """The entry with its content cut to a head under a header that names it; unchanged when short enough."""
    length = len(entry.content)
    if above_chars <= 0 or length <= above_chars:
        return entry
    head = entry.content[: max(MIN_HEAD, above_chars // 2)]
    text = f"[truncated event_id={entry.id} len={length}]\n{head}"
    if len(head) < length:
        text += "\n… (run the call again if you need the rest)"
    return msgspec.structs.replace(entry, content=text, parts=())


def lower_detail(entries: Sequence[Entry], *, above_chars: int, keep: int) -> list[Entry]:
    """Stubs for everything before the last `keep` entries. Calls keep their arguments: those must stay valid JSON."""
    border = len(entries) - keep
    return [
        stub(entry, above_chars) if index < border and entry.kind == Kind.TOOL_RESULT else entry
        for index, entry in enumerate(entries)
    ]
