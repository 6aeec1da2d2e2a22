"""What the person decided about single entries: dropped ones leave the view, shortened ones keep a head. Always applied.

A dropped result leaves a line in its place, since its call has to stay answered; with a dropped call its result goes too.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import msgspec

from kram.context.policy import StageReport, ViewPolicy
from kram.context.view import staged
from kram.messages import Entry, Kind, TextBlock

SHORT_CHARS = 400
LEFT_OUT = "[left out by the person; event_id={id}]"


def apply_marks(entries: Sequence[Entry], policy: ViewPolicy) -> tuple[list[Entry], StageReport]:
    marks = policy.marks
    dropped, shortened = frozenset(marks.dropped), frozenset(marks.shortened)
    if not dropped and not shortened:
        return staged("marks", entries, entries, policy)
    gone_calls = {one.tool_call_id for one in entries if one.kind == Kind.TOOL_CALL and one.id in dropped}
    shown: list[Entry] = []
    for one in entries:
        if one.kind == Kind.TOOL_RESULT and one.tool_call_id in gone_calls:
            continue
        if one.id in dropped:
            if one.kind == Kind.TOOL_RESULT:
                shown.append(msgspec.structs.replace(one, content=LEFT_OUT.format(id=one.id), parts=()))
        else:
            shown.append(short(one) if one.id in shortened else one)
    return staged("marks", entries, shown, policy)


def short(one: Entry, max_chars: int = SHORT_CHARS) -> Entry:
    """The entry with a head of its text and a note that names it. Thinking stays: its signature covers what stood there."""
    if one.kind == Kind.TOOL_CALL:
        return msgspec.structs.replace(one, content=short_arguments(one.content, max_chars))
    content = _head(one.content, max_chars, one.id)
    parts = tuple(
        TextBlock(text=_head(part.text, max_chars, one.id)) if isinstance(part, TextBlock) else part
        for part in one.parts
    )
    if content == one.content and parts == one.parts:
        return one
    return msgspec.structs.replace(one, content=content, parts=parts)


def short_arguments(arguments: str, max_chars: int) -> str:
    """A call's arguments with long texts inside cut; still the same JSON object otherwise."""
    if len(arguments) <= max_chars:
        return arguments
    try:
        return json.dumps(_cut(json.loads(arguments), max_chars), ensure_ascii=False)
    except (ValueError, RecursionError):
        return arguments


def _cut(value: Any, max_chars: int) -> Any:
    if isinstance(value, str) and len(value) > max_chars:
        return f"{value[:max_chars]}… [{len(value) - max_chars} characters left out]"
    if isinstance(value, dict):
        return {key: _cut(inner, max_chars) for key, inner in value.items()}
    if isinstance(value, list):
        return [_cut(inner, max_chars) for inner in value]
    return value


def _head(text: str, max_chars: int, entry_id: str) -> str:
    if len(text) <= max_chars:
        return text
    return f"[shortened event_id={entry_id} len={len(text)}]\n{text[:max_chars]}\n…"
