"""Folding old entries into a summary: one model call without tools, then one transaction. The originals stay in the store."""

from __future__ import annotations

from typing import Literal, TypeAlias

from kram.context import estimate_entries, foldable, marker, summary_request
from kram.events import Compacted, Notice
from kram.gateway import GatewayError
from kram.messages import Kind
from kram.providers import ProviderError

from .bench import Bench
from .limits import Tally
from .observer import RouteTeller

Trigger: TypeAlias = Literal["auto", "manual", "reactive"]


async def compact(bench: Bench, tally: Tally, *, trigger: Trigger, focus: str = "") -> bool:
    """Folds everything before the pristine tail. False where nothing can be folded or no summary could be had; nothing
    is changed then. Raises `StoreError`."""
    entries = bench.record.entries
    folded = foldable(entries, bench.view_policy)
    if not folded:
        return False
    earlier = [entry for entry in entries if entry.kind == Kind.COMPACTION]
    before = estimate_entries(entries)
    tally.compactions += 1
    call = bench.gateway.call(
        summary_request(folded, earlier, focus=focus),
        bench.combo(),
        purpose="compaction",
        observer=RouteTeller(bench.emit, tally),
    )
    try:
        async for _ in call:
            pass
    except (GatewayError, ProviderError) as failure:
        bench.emit(Notice(text=f"The session could not be summarised: {failure.text()}", level="warning"))
        return False
    summary = call.accumulator.text.strip()
    if not summary:
        bench.emit(Notice(text="The summary came back empty; nothing was folded.", level="warning"))
        return False
    count = len(entries)
    bench.record.compact(marker(summary, folded, trigger=trigger, tokens_before=before), [*folded, *earlier])
    bench.emit(
        Compacted(
            strategy="summary",
            trigger=trigger,
            messages_before=count,
            messages_after=len(bench.record.entries),
            tokens_before=before,
            tokens_after=estimate_entries(bench.record.entries),
        )
    )
    return True
