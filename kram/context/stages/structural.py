"""Without a summariser: the old part becomes one line of counts. Used only where no summary could be had.

Where the old part is short, its tool results are cut instead. What may not be touched, and the person's words as far as
there is room for them, stay.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from kram.context.policy import StageReport, ViewPolicy
from kram.context.tail import protected, said_by_person, tail_start
from kram.context.view import staged
from kram.context.words import within
from kram.messages import Entry, Kind, entry

from .emergency import cut_result

TAG = "Earlier conversation summary"
MIN_MIDDLE = 6
CUT_ABOVE, HEAD, TAIL = 1_000, 500, 250


def structural(entries: Sequence[Entry], policy: ViewPolicy) -> tuple[list[Entry], StageReport]:
    border = tail_start(entries, policy)
    spared = protected(entries, policy)
    old = entries[:border]
    middle = [one for one in old if one.id not in spared and one.kind not in (Kind.COMPACTION, "system")]
    if len(middle) < MIN_MIDDLE:
        ids = {one.id for one in middle}
        cut = [cut_result(one, CUT_ABOVE, HEAD, TAIL) if one.id in ids else one for one in entries]
        return staged("structural", entries, cut, policy)
    said = {one.id for one in within([one for one in middle if said_by_person(one)], policy)}
    gone = {one.id for one in middle if one.id not in said}
    if not gone:
        return staged("structural", entries, entries, policy)
    last = next(one for one in reversed(old) if one.id in gone)
    note = entry(Kind.NOTIFICATION, counted(middle), entry_id=last.id, at_ns=last.created_at, tag=TAG)
    kept = [note if one is last else one for one in entries if one is last or one.id not in gone]
    shown, report = staged("structural", entries, kept, policy)
    if report.tokens_after >= report.tokens_before:
        return staged("structural", entries, entries, policy)
    return shown, report


def counted(entries: Sequence[Entry]) -> str:
    """What there was, in numbers; `[truncated]` stands for the rest."""
    kinds = Counter(str(one.kind) for one in entries)
    names = Counter(one.tool_name for one in entries if one.kind == Kind.TOOL_CALL)
    errors = sum(one.is_error for one in entries)
    parts = [
        f"{kinds[Kind.USER]} messages of the person",
        f"{kinds[Kind.ASSISTANT]} of the assistant",
        f"{kinds[Kind.TOOL_CALL]} tool calls" + (f" ({', '.join(sorted(names))})" if names else ""),
        f"{errors} errors",
    ]
    return f"{', '.join(parts)} [truncated]"
