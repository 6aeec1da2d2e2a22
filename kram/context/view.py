"""What the model may see of an entry: special tokens defused, then a cap that keeps head and tail, then pictures left out
where the model has no eyes. Render-time only, and the same for every request, so that tokens can be counted by it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from kram.messages import Entry, ImageBlock, Kind

from .policy import DEFAULT_CAP_CHARS, StageReport, ViewPolicy


def neutralise(text: str) -> str:
    """Breaks chat-template markers, so that a tool's output cannot pose as another role."""
    return text.replace("<|", "&lt;|") if "<|" in text else text


def cap(text: str, max_chars: int, *, note: str = "") -> str:
    """Head two thirds, a marker with the sizes, tail one third; 0 or less is no cap. `note` says where the rest is."""
    if max_chars <= 0 or len(text) <= max_chars:
        return text
    head = max_chars * 2 // 3
    tail = max_chars - head
    more = f"; {note}" if note else ""
    marker = f"\n[truncated: {len(text) - max_chars} of {len(text)} characters left out here{more}]\n"
    return text[:head] + marker + (text[-tail:] if tail else "")


def viewed(entry: Entry, max_chars: int = DEFAULT_CAP_CHARS) -> Entry:
    """The entry as the model sees it; only tool results change."""
    if entry.kind != Kind.TOOL_RESULT:
        return entry
    text = cap(neutralise(entry.content), max_chars, note=f"event_id={entry.id}")
    return entry if text == entry.content else msgspec.structs.replace(entry, content=text)


def blind(entry: Entry) -> Entry:
    """The entry without pictures."""
    if not any(isinstance(part, ImageBlock) for part in entry.parts):
        return entry
    return msgspec.structs.replace(entry, parts=tuple(p for p in entry.parts if not isinstance(p, ImageBlock)))


def finished(entry: Entry, policy: ViewPolicy) -> Entry:
    """The entry as it goes out."""
    seen = viewed(entry, policy.cap_chars)
    return seen if policy.images else blind(seen)


def cost(entry: Entry, policy: ViewPolicy) -> int:
    """Tokens of one entry as it would go out."""
    return policy.costs.of(entry, policy, lambda: policy.meter.entry(finished(entry, policy)))


def measure(entries: Iterable[Entry], policy: ViewPolicy) -> int:
    """Tokens of entries as they would go out: the one count of the trigger, the panel and the gateway."""
    return sum(cost(one, policy) for one in entries)


def staged(
    name: str, before: Sequence[Entry], after: Sequence[Entry], policy: ViewPolicy, *, finishing: bool = False
) -> tuple[list[Entry], StageReport]:
    """A stage's result with its report, made by comparing what went in with what came out.

    Stages that finish a view are counted by what they were given and gave back, all others by how that would go out.
    """
    left = {one.id: one for one in after}
    touched = tuple(one.id for one in before if left.get(one.id) is not one)
    count = policy.meter.entries if finishing else lambda entries: measure(entries, policy)
    changed = bool(touched) or len(after) != len(before)
    return list(after), StageReport(
        name=name,
        entries_before=len(before),
        entries_after=len(after),
        tokens_before=count(before) if changed else 0,
        tokens_after=count(after) if changed else 0,
        touched=touched,
    )
