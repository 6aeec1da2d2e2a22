"""Having a summary written: one model call, or several where the transcript is longer than the writer's window.

    transcript -> stretches that fit -> a record of each -> one record of all

The combo for summaries is asked first, where there is one, then the session's own. Every call is routed, told and counted
like any other. What cannot be had is said in `NoSummary`; the caller has other means then.
"""

from __future__ import annotations

from collections.abc import Sequence

from kram.base import Data
from kram.config import Combo
from kram.context import merge_request, stretches, summary_request, transcript_lines
from kram.gateway import AllFailed, GatewayError
from kram.messages import CompletionRequest, Entry, Usage
from kram.providers import ProviderError

from .bench import Bench
from .framing import lead_model
from .limits import Tally
from .observer import RouteTeller

UNKNOWN_ROOM = 24_000
"""Tokens of transcript a call gets where the writer's window is unknown."""
ROOM_SHARE = 0.6
"""Of the writer's window, what the transcript may take."""
MIN_ROOM = 500
FEW_STRETCHES, MAX_STRETCHES = 3, 12
DETAIL = (4_000, 1_500, 500)
"""Characters of one entry the writer reads: fewer where that spares calls, since the person waits for them."""
OUTPUT_SHARE = 8
"""A record takes at most this part of the writer's window, and 2,000 tokens."""


class NoSummary(Exception):
    """No summary could be had; the text says why."""


class Written(Data):
    text: str
    usage: Usage
    model: str


async def summarise(bench: Bench, tally: Tally, folded: Sequence[Entry], *, earlier: str, focus: str) -> Written:
    """Raises `NoSummary`."""
    reasons: list[str] = []
    spent = Usage()
    for combo in _writers(bench):
        writer = _Writer(bench, tally, combo)
        try:
            text = await writer.write(folded, earlier, focus)
        except NoSummary as failure:
            reasons.append(str(failure))
            spent = spent + writer.usage
        else:
            return Written(text=text, usage=spent + writer.usage, model=writer.model)
    raise NoSummary(reasons[-1] if reasons else "no model can be asked")


def _writers(bench: Bench) -> list[Combo]:
    own, other = bench.combo(), bench.summary_combo()
    return [own] if other is None or other.name == own.name else [other, own]


class _Writer:
    """One combo at the work of one summary."""

    def __init__(self, bench: Bench, tally: Tally, combo: Combo) -> None:
        self._bench = bench
        self._tally = tally
        self._combo = combo
        self._window = lead_model(bench, combo).context_window
        self.usage = Usage()
        self.model = ""

    async def write(self, folded: Sequence[Entry], earlier: str, focus: str) -> str:
        room = round(self._window * ROOM_SHARE) if self._window else UNKNOWN_ROOM
        while True:
            try:
                return await self._within(max(MIN_ROOM, room), folded, earlier, focus)
            except AllFailed as failure:
                # The writer's window is smaller than it is said to be.
                room //= 2
                if not failure.overflow or room < MIN_ROOM:
                    raise NoSummary(failure.text()) from failure
            except (GatewayError, ProviderError) as failure:
                raise NoSummary(failure.text()) from failure

    async def _within(self, room: int, folded: Sequence[Entry], earlier: str, focus: str) -> str:
        parts = self._stretches(room, folded)
        cap = self._output_cap()
        if len(parts) <= 1:
            lines = parts[0] if parts else []
            return await self._ask(summary_request(lines, earlier=earlier, focus=focus, max_tokens=cap))
        records = [
            await self._ask(summary_request(lines, focus=focus, part=number, of=len(parts), max_tokens=cap))
            for number, lines in enumerate(parts, start=1)
        ]
        while len(records) > 1:
            groups = stretches(records, room)
            if len(groups) == len(records):
                # Not even two fit together: they stay as they are, one after the other.
                return "\n\n".join(records)
            last = len(groups) == 1
            records = [
                await self._ask(merge_request(group, earlier=earlier if last else "", focus=focus, max_tokens=cap))
                if len(group) > 1 or last
                else group[0]
                for group in groups
            ]
        return records[0]

    def _stretches(self, room: int, folded: Sequence[Entry]) -> list[list[str]]:
        """As much detail as a bearable number of calls allows; beyond that the oldest stretches are left out."""
        parts: list[list[str]] = []
        for bearable in (FEW_STRETCHES, MAX_STRETCHES):
            for max_chars in DETAIL:
                parts = stretches(transcript_lines(folded, max_chars), room)
                if len(parts) <= bearable:
                    return parts
        return parts[-MAX_STRETCHES:]

    def _output_cap(self) -> int:
        return min(2_000, self._window // OUTPUT_SHARE) if self._window else 0

    async def _ask(self, request: CompletionRequest) -> str:
        """The answer's text. The gateway has asked again where it was blank."""
        call = self._bench.gateway.call(
            request,
            self._combo,
            purpose="compaction",
            turn=self._tally.turn,
            observer=RouteTeller(self._bench, self._tally),
        )
        try:
            async for _event in call:
                pass
        finally:
            self.usage = self.usage + call.route.usage
        self.model = call.route.winner
        text = call.accumulator.text.strip()
        if not text:
            raise NoSummary("the summary came back empty")
        return text
