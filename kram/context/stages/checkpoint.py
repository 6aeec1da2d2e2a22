"""Finished turns give way to their checkpoints, the oldest first, until there is room. The person's words stay as they are."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kram.context.policy import Checkpoint, StageReport, ViewPolicy
from kram.context.tail import protected, said_by_person, tail_start
from kram.context.view import measure, staged
from kram.messages import Entry, Kind

TAG = "turn summary"


def checkpoint(entries: Sequence[Entry], policy: ViewPolicy) -> tuple[list[Entry], StageReport]:
    """Without a goal every turn that has a checkpoint is replaced."""
    spared = protected(entries, policy)
    border = tail_start(entries, policy)
    tokens = measure(entries, policy)
    swapped: dict[int, Entry | None] = {}
    for first, last, one in consumable(entries, policy.checkpoints, border):
        if policy.goal and tokens <= policy.goal:
            break
        at = [
            place
            for place in range(first, last + 1)
            if entries[place].id not in spared
            and entries[place].kind != Kind.COMPACTION
            and not said_by_person(entries[place])
        ]
        old = measure((entries[place] for place in at), policy)
        if not at:
            continue
        summary = _summary_entry(entries[at[0]], one)
        new = measure([summary], policy)
        if new >= old:
            continue
        tokens -= old - new
        swapped.update(dict.fromkeys(at))
        swapped[at[0]] = summary
    kept = [swapped.get(place, one) for place, one in enumerate(entries)]
    return staged("checkpoint", entries, [one for one in kept if one is not None], policy)


def consumable(
    entries: Sequence[Entry], checkpoints: Sequence[Checkpoint], border: int
) -> list[tuple[int, int, Checkpoint]]:
    """Checkpoints whose turn lies whole in the old part, by start; what overlaps an earlier one is left out."""
    place = {one.id: at for at, one in enumerate(entries)}
    found = [
        (place[one.start], place[one.end], one)
        for one in checkpoints
        if one.summary.strip() and one.start in place and one.end in place
    ]
    usable: list[tuple[int, int, Checkpoint]] = []
    for first, last, one in sorted(found, key=lambda row: row[0]):
        behind = usable[-1][1] if usable else -1
        if behind < first <= last < border:
            usable.append((first, last, one))
    return usable


def _summary_entry(replaced: Entry, one: Checkpoint) -> Entry:
    """Stands in the place of the first entry it replaces, under its id."""
    return msgspec.structs.replace(
        replaced,
        kind=str(Kind.NOTIFICATION),
        tag=TAG,
        content=one.summary.strip(),
        parts=(),
        tool_call_id="",
        tool_name="",
        signature="",
        is_error=False,
    )
