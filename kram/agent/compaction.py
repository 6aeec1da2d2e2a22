"""Folding old entries into a summary: a draft, a check that nothing that must stay is lost, one transaction.

The originals stay in the store; `uncompact` brings them back. Where no summary can be had nothing is changed, and the
view has other stages (`kram.agent.fitting`).
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from kram.base import Data, crash_point, new_id
from kram.context import (
    CompactionDraft,
    Fact,
    Folding,
    build_view,
    facts,
    fold,
    foldable,
    lost,
    sorted_items,
    summary_of,
    todo_lines,
    transcript_entries,
)
from kram.events import Compacted, Notice
from kram.messages import Entry, Kind, Usage, entry

from .bench import Bench
from .framing import Frame, frame, policy_of, view_of
from .limits import Tally
from .summarise import NoSummary, Written, summarise

Trigger: TypeAlias = Literal["auto", "manual", "reactive"]

NOTHING = "There is nothing to fold: the session is short enough to stay as it is."


class Folded(Data):
    """Whether anything was folded, and why not."""

    done: bool
    reason: str = ""


class CannotFold(Exception):
    """Nothing was changed; the text is for the person."""


async def compact(
    bench: Bench, tally: Tally, *, trigger: Trigger, focus: str = "", around: Frame | None = None
) -> Folded:
    """Folds everything before the recent part. Nothing is changed where nothing can be folded, no summary could be had, or
    something would be lost. Raises `StoreError`."""
    around = around or frame(bench, bench.combo())
    try:
        draft = await draft_compaction(bench, tally, trigger=trigger, focus=focus, around=around)
        apply_compaction(bench, draft, around=around)
    except CannotFold as refused:
        if str(refused) != NOTHING:
            bench.emit(Notice(text=str(refused), level="warning"))
        return Folded(done=False, reason=str(refused))
    tally.compactions += 1
    return Folded(done=True)


async def draft_compaction(
    bench: Bench, tally: Tally, *, trigger: Trigger, focus: str = "", around: Frame | None = None
) -> CompactionDraft:
    """What a compaction would do, with its summary written. Stores nothing. Raises `CannotFold`."""
    around = around or frame(bench, bench.combo())
    policy = policy_of(bench, around)
    entries = list(bench.record.entries)
    folding = foldable(entries, policy)
    if not folding.folded:
        raise CannotFold(NOTHING)
    tally.compaction_tries += 1
    crash_point("compaction:asked")
    written = await _written(bench, tally, transcript_entries(folding, policy), folding, focus)
    crash_point("compaction:written")
    kept, summarised, dropped = sorted_items(entries, policy, folding)
    draft = CompactionDraft(
        id=new_id(),
        trigger=trigger,
        focus=focus,
        kept=kept,
        summarised=summarised,
        dropped=dropped,
        summary=written.text,
        tokens_before=view_of(bench, around).tokens,
        tokens_after=0,
        usage=written.usage,
        model=written.model,
        todos=todo_lines(bench.todos.get()),
        folded=tuple(one.id for one in folding.folded),
        earlier=tuple(one.id for one in folding.earlier),
        last_entry=entries[-1].id,
    )
    after, _ = _folded(bench, draft, around)
    view = build_view(after, around.plan, policy, images=around.model.images)
    return msgspec.structs.replace(draft, tokens_after=view.tokens)


def apply_compaction(bench: Bench, draft: CompactionDraft, *, around: Frame | None = None) -> None:
    """Stores a draft, with its summary as it is now. Raises `CannotFold` where the session went on meanwhile or something
    that must stay would be lost, and `StoreError`."""
    around = around or frame(bench, bench.combo())
    entries = list(bench.record.entries)
    known = {one.id for one in entries}
    if not draft.summary.strip():
        raise CannotFold("The summary is empty; nothing was folded.")
    if not entries or entries[-1].id != draft.last_entry or not known.issuperset((*draft.folded, *draft.earlier)):
        raise CannotFold("The session went on since this draft was made; nothing was folded.")
    policy = policy_of(bench, around)
    after, marker = _folded(bench, draft, around)
    folding = _folding(entries, draft)
    wanted = [*facts(entries, policy, folding, todos=draft.todos), *_instructions(bench, around)]
    if missing := lost(wanted, after, prompt="\n\n".join(around.prompt.system)):
        raise CannotFold(f"Nothing was folded: {len(missing)} things that must stay would be lost ({_named(missing)}).")
    before = view_of(bench, around)
    bench.record.compact(marker, folding.subsumed)
    now = view_of(bench, around)
    bench.emit(
        Compacted(
            strategy="summary",
            trigger=draft.trigger,
            messages_before=len(before.entries),
            messages_after=len(now.entries),
            tokens_before=before.tokens,
            tokens_after=now.tokens,
        )
    )


def uncompact(bench: Bench) -> bool:
    """Takes the last compaction back: what it stood for is in view again. False where there is none. Raises `StoreError`."""
    marker = next((one for one in reversed(bench.record.entries) if one.kind == Kind.COMPACTION), None)
    if marker is None:
        return False
    count = len(marker.details.get("subsumed") or ())
    note = entry(
        Kind.NOTIFICATION, f"The last compaction was taken back; {count} entries are in view again.", tag="uncompacted"
    )
    bench.record.uncompact(marker.id, note)
    return True


async def _written(bench: Bench, tally: Tally, read: list[Entry], folding: Folding, focus: str) -> Written:
    earlier = "\n\n".join(summary_of(one) for one in folding.earlier)
    if not read:
        # Nothing but empty entries and what the person dropped: there is nothing to write about.
        return Written(text=earlier or "Nothing of what stood here is needed any more.", usage=Usage(), model="")
    try:
        return await summarise(bench, tally, read, earlier=earlier, focus=focus)
    except NoSummary as failure:
        raise CannotFold(f"The session could not be summarised: {failure}") from failure


def _folding(entries: list[Entry], draft: CompactionDraft) -> Folding:
    folded, earlier = frozenset(draft.folded), frozenset(draft.earlier)
    return Folding(
        folded=tuple(one for one in entries if one.id in folded),
        earlier=tuple(one for one in entries if one.id in earlier),
    )


def _folded(bench: Bench, draft: CompactionDraft, around: Frame) -> tuple[list[Entry], Entry]:
    """The entries as they would be, and the marker."""
    entries = list(bench.record.entries)
    policy = policy_of(bench, around)
    after, _, marker = fold(
        entries, policy, _folding(entries, draft), draft.summary, trigger=draft.trigger, todos=draft.todos
    )
    usage = draft.usage if draft.usage.reported else None
    signed = msgspec.structs.replace(marker, usage=usage, model=draft.model)
    return [signed if one is marker else one for one in after], signed


def _instructions(bench: Bench, around: Frame) -> list[Fact]:
    """Instruction files have to stand in the prompt, but for small models, which get none."""
    if around.model.compact:
        return []
    files = bench.prompt.instructions.current()
    return [Fact(sort="instructions", id=one.path, text=one.text.strip()) for one in files if one.text.strip()]


def _named(missing: tuple[Fact, ...]) -> str:
    return ", ".join(sorted({fact.sort for fact in missing}))
