"""The pipeline behind two small surfaces: `Compactor` for role messages and a limit, `Shaper` for entries and a summariser.

Both run the same stages as a turn does; what they add is the shape of arguments and results.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Literal, TypeAlias

from kram.base import Data, KramError
from kram.messages import Entry, Kind, Message

from .budget import Plan, shape_target
from .core_messages import CoreMessage, from_entries, to_entries
from .pipeline import View, build_view, for_plan
from .policy import Checkpoint, ViewPolicy
from .stages import checkpoint, emergency, fold, foldable, paired, structural
from .tail import said_by_person
from .tokens import METER, Meter
from .view import measure

Strategy: TypeAlias = Literal["none", "checkpoint", "structural", "emergency"]
Summarise: TypeAlias = Callable[[Sequence[Entry], str], Awaitable[str]]

ROUGH = Meter(count=lambda text: len(text) // 4, per_message=10, per_call=20)
MIN_MESSAGES = 5
KEEP_RECENT = 24
PART_CHARS = 120
MAX_ATTEMPTS = 4


class CompactResult(Data):
    """`saved` is never negative; `removed` counts messages."""

    messages: tuple[CoreMessage, ...]
    strategy: Strategy
    tokens_before: int
    tokens_after: int

    @property
    def saved(self) -> int:
        return max(0, self.tokens_before - self.tokens_after)


class Compactor:
    """Gets role messages below a limit in tokens without any model."""

    def __init__(self, *, keep_recent: int = KEEP_RECENT, min_messages: int = MIN_MESSAGES) -> None:
        self._keep = keep_recent
        self._min = min_messages

    def compact(self, messages: Sequence[CoreMessage], limit: int) -> CompactResult:
        """The first strategy that is enough; the last one is taken whatever it reaches."""
        entries = to_entries(messages)
        policy = ViewPolicy(
            tail_messages=self._keep,
            tail_tools=self._keep,
            cap_chars=0,
            goal=limit,
            limit=limit,
            meter=ROUGH,
            checkpoints=tuple(_turns(entries)),
        )
        before = measure(entries, policy)
        strategy: Strategy = "none"
        if len(messages) > self._min:
            strategy = "checkpoint"
            if before > limit:
                entries, strategy = self._shaped(entries, policy, len(messages))
        entries, _ = paired(entries, policy)
        shown = tuple(from_entries(entries)) if entries else ()
        return CompactResult(
            messages=shown, strategy=strategy, tokens_before=before, tokens_after=measure(entries, policy)
        )

    def _shaped(self, entries: list[Entry], policy: ViewPolicy, count: int) -> tuple[list[Entry], Strategy]:
        entries, _ = checkpoint(entries, policy)
        if measure(entries, policy) <= policy.limit:
            return entries, "checkpoint"
        if count > self._keep + 2:
            entries, _ = structural(entries, policy)
            if measure(entries, policy) <= policy.limit:
                return entries, "structural"
        return emergency(entries, policy)[0], "emergency"


def _turns(entries: Sequence[Entry]) -> list[Checkpoint]:
    """A checkpoint for each turn of more than one message."""
    starts = [at for at, one in enumerate(entries) if said_by_person(one)]
    found: list[Checkpoint] = []
    for start, end in zip(starts, [*starts[1:], len(entries)], strict=True):
        turn = entries[start:end]
        if len(turn) < 2:
            continue
        said = next((one.content for one in turn if one.kind == Kind.ASSISTANT), "")
        tools = ", ".join(sorted({one.tool_name for one in turn if one.kind == Kind.TOOL_CALL}))
        text = f"user: {turn[0].content[:PART_CHARS]}; assistant: {said[:PART_CHARS]}" + (
            f"; tools: {tools}" * bool(tools)
        )
        found.append(Checkpoint(start=turn[0].id, end=turn[-1].id, summary=text))
    return found


class DidNotConverge(KramError):
    """Folding again and again did not get below the target."""


class BlankSummary(KramError):
    """The summariser said nothing; nothing was changed."""


class FoldInfo(Data):
    """One fold. Tokens of the whole before, in full, and after, as it would be sent."""

    summary: str
    subsumed_count: int
    tokens_before: int
    tokens_after: int


class Shaped(Data):
    """`entries` as they would be stored, `messages` as they would be sent, and what was folded on the way."""

    entries: tuple[Entry, ...]
    messages: tuple[Message, ...]
    folds: tuple[FoldInfo, ...] = ()


class Shaper:
    """Builds what a model sees of entries within a budget in tokens (0 or less: unknown, then nothing is ever cut)."""

    def __init__(
        self,
        summarise: Summarise,
        *,
        budget: int = 0,
        headroom: int = 0,
        keep_messages: int = 8,
        keep_tools: int = 16,
        stub_above_chars: int = 2_000,
        always_lod: bool = False,
        on_fold: Callable[[FoldInfo], None] | None = None,
        meter: Meter = METER,
    ) -> None:
        target = shape_target(budget, headroom)
        self._plan = Plan(window=max(0, budget), fixed=0, reserve=0, history=max(0, budget), target=target)
        self._summarise = summarise
        self._on_fold = on_fold
        self._policy = for_plan(
            ViewPolicy(
                tail_messages=keep_messages,
                tail_tools=keep_tools,
                stub_above_chars=stub_above_chars,
                always_lod=always_lod,
                meter=meter,
            ),
            self._plan,
        )

    async def build(self, entries: Sequence[Entry]) -> Shaped:
        """Folds until the target is reached or nothing can be folded. Raises `DidNotConverge` and `BlankSummary`; the
        entries that were given are never changed."""
        now, folds = list(entries), list[FoldInfo]()
        for _ in range(MAX_ATTEMPTS):
            view = self._view(now)
            if not view.over_target or not foldable(now, self._policy).folded:
                return Shaped(entries=tuple(now), messages=view.messages, folds=tuple(folds))
            now, info = await self._fold(now, "auto")
            folds.append(info)
        view = self._view(now)
        if view.over_target and foldable(now, self._policy).folded:
            raise DidNotConverge(f"Folding did not converge: {view.tokens} tokens after {MAX_ATTEMPTS} attempts")
        return Shaped(entries=tuple(now), messages=view.messages, folds=tuple(folds))

    async def compact(self, entries: Sequence[Entry]) -> tuple[Shaped, bool]:
        """One fold whatever the budget is; False where there is nothing to fold. Raises `BlankSummary`."""
        if not foldable(entries, self._policy).folded:
            return Shaped(entries=tuple(entries), messages=self._view(entries).messages), False
        now, info = await self._fold(list(entries), "manual")
        return Shaped(entries=tuple(now), messages=self._view(now).messages, folds=(info,)), True

    def _view(self, entries: Sequence[Entry]) -> View:
        return build_view(entries, self._plan, self._policy)

    async def _fold(self, entries: list[Entry], trigger: str) -> tuple[list[Entry], FoldInfo]:
        folding = foldable(entries, self._policy)
        summary = (await self._summarise(folding.folded, "\n\n".join(one.content for one in folding.earlier))).strip()
        if not summary:
            raise BlankSummary("The summary came back empty; nothing was folded")
        before = measure(entries, self._policy)
        after, _, _ = fold(entries, self._policy, folding, summary, trigger=trigger)
        info = FoldInfo(
            summary=summary,
            subsumed_count=len(folding.folded),
            tokens_before=before,
            tokens_after=self._view(after).tokens,
        )
        if self._on_fold is not None:
            self._on_fold(info)
        return after, info
