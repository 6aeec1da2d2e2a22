"""Level of detail: long tool results outside the recent part become stubs. Render-time only; storage keeps the whole."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kram.context.policy import StageReport, ViewPolicy
from kram.context.tail import protected, tail_start
from kram.context.view import staged
from kram.messages import Entry, Kind

MIN_HEAD = 100


def lod(entries: Sequence[Entry], policy: ViewPolicy) -> tuple[list[Entry], StageReport]:
    spared = protected(entries, policy)
    keep = len(entries) - tail_start(entries, policy)
    lowered = lower_detail(entries, above_chars=policy.stub_above_chars, keep=keep)
    kept = [old if old.id in spared else new for old, new in zip(entries, lowered, strict=True)]
    return staged("lod", entries, kept, policy)


def stub(entry: Entry, above_chars: int) -> Entry:
    """The entry with its content cut to a head under a header that names it; unchanged when short enough."""
    length = len(entry.content)
    if above_chars <= 0 or length <= above_chars:
        return entry
    head = entry.content[: max(MIN_HEAD, above_chars // 2)]
    text = f"[truncated event_id={entry.id} len={length}]\n{head}"
    if len(head) < length:
        text += "\n… (artifact_read gives the rest by that event_id; run the call again for what holds now)"
    return msgspec.structs.replace(entry, content=text, parts=())


def lower_detail(entries: Sequence[Entry], *, above_chars: int, keep: int) -> list[Entry]:
    """Stubs for everything before the last `keep` entries. Calls keep their arguments: those must stay valid JSON."""
    border = len(entries) - keep
    return [
        stub(entry, above_chars) if index < border and entry.kind == Kind.TOOL_RESULT else entry
        for index, entry in enumerate(entries)
    ]
