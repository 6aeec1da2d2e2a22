"""Folding old entries into a summary: one model call without tools, then one transaction. The originals stay in the store."""

from __future__ import annotations

from typing import Literal, TypeAlias

from kram.base import Data
from kram.context import estimate_entries, foldable, marker, summary_request
from kram.events import Compacted, Notice
from kram.gateway import GatewayError
from kram.messages import Kind
from kram.providers import ProviderError

from .bench import Bench
from .limits import Tally
from .observer import RouteTeller

Trigger: TypeAlias = Literal["auto", "manual", "reactive"]


class Folded(Data):
    """Whether anything was folded, and why not."""

    done: bool
    reason: str = ""


async def compact(bench: Bench, tally: Tally, *, trigger: Trigger, focus: str = "") -> Folded:
    """Folds everything before the pristine tail. Nothing is changed where nothing can be folded or no summary could be
    had. Raises `StoreError`."""
    entries = bench.record.entries
    folded = foldable(entries, bench.view_policy)
    if not folded:
        return Folded(done=False, reason="There is nothing to fold: the session is short enough to stay as it is.")
    earlier = [entry for entry in entries if entry.kind == Kind.COMPACTION]
    before = estimate_entries(entries)
    tally.compactions += 1
    call = bench.gateway.call(
        summary_request(folded, earlier, focus=focus),
        bench.combo(),
        purpose="compaction",
        turn=tally.turn,
        observer=RouteTeller(bench, tally),
    )
    try:
        async for _ in call:
            pass
    except (GatewayError, ProviderError) as failure:
        return _refused(bench, f"The session could not be summarised: {failure.text()}")
    summary = call.accumulator.text.strip()
    if not summary:
        return _refused(bench, "The summary came back empty; nothing was folded.")
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
    return Folded(done=True)


def _refused(bench: Bench, reason: str) -> Folded:
    bench.emit(Notice(text=reason, level="warning"))
    return Folded(done=False, reason=reason)
