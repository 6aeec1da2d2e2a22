"""What a person can see of the model's window and do about it: the report, compaction with a review, marks on entries."""

from __future__ import annotations

from collections.abc import Sequence

from kram.agent import (
    CannotFold,
    Inspection,
    Tally,
    apply_compaction,
    compact,
    draft_compaction,
    inspect_request,
    lead_model,
    measure,
    reread_price,
    uncompact,
)
from kram.base import KramError, UsageError
from kram.context import CompactionDraft, Mark, last_words
from kram.events import ContextReport
from kram.messages import Usage, to_json
from kram.providers import TokenCounter

from .held import Held


class ContextPart(Held):
    def context_report(self) -> ContextReport:
        """What the next request would hold, item by item, by the same count the trigger uses."""
        return measure(self._bench)

    def inspect(self) -> Inspection:
        """The next request, part by part, and the body that would be sent."""
        return inspect_request(self._bench)

    async def count_exactly(self) -> tuple[int, bool]:
        """Tokens of the next request, and whether its vendor counted them (else it is our estimate). What the vendor counts
        teaches the estimator like any other report."""
        found = self.inspect()
        roster, gateway = self._house.roster, self._house.gateway
        model = roster.model(found.model)
        try:
            counter = gateway.provider(model.provider) if model is not None else None
            if model is None or not isinstance(counter, TokenCounter):
                return found.tokens, False
            tokens = await counter.count_tokens(found.request, model)
        except KramError:
            return found.tokens, False
        self._house.estimator.observe(found.model, found.request, Usage(input=tokens), session=self._house.session.id)
        return tokens, True

    def item_text(self, item_id: str) -> str:
        """The whole text of an item of the report: an entry, a part of the prompt, or a tool's definition."""
        kind, _, name = item_id.partition(":")
        if kind == "part":
            parts = self.inspect().prompt.parts
            return next((part.content for part in parts if part.id == name), "")
        if kind == "tool":
            return to_json(self._house.registry.spec(name)).decode()
        return next((one.content for one in self._bench.record.entries if one.id == item_id), "")

    def input_price(self, tokens: int) -> float | None:
        """What so many uncached tokens cost in dollars at the model that would answer; None where no price is known."""
        price = lead_model(self._bench, self._house.combo).price
        return None if price is None else tokens * price.input / 1_000_000

    # --- compaction ---------------------------------------------------------------------------------------------

    async def compact(self, focus: str = "") -> str:
        """Summarises the older part now, without a review; says what came of it. Raises `UsageError` while a turn runs."""
        self._must_be_idle()
        before = self.context_report().used
        tally = self._tally()
        try:
            folded = await compact(self._bench, tally, trigger="manual", focus=focus)
        finally:
            self._session_usage = self._session_usage + tally.usage
        if not folded.done:
            return folded.reason
        now = self.context_report().used
        return (
            f"Summarised: {before} tokens became {now}. The originals stay in the session; /uncompact brings them back."
        )

    async def draft_compaction(self, focus: str = "") -> CompactionDraft:
        """What a compaction would keep, summarise and drop, with the summary written; nothing is changed. Retry by asking
        again. Raises `UsageError` while a turn runs, or where there is nothing to fold or no summary could be had."""
        self._must_be_idle()
        tally = self._tally()
        try:
            return await draft_compaction(self._bench, tally, trigger="manual", focus=focus)
        except CannotFold as refused:
            raise UsageError(str(refused).rstrip(".")) from refused
        finally:
            self._session_usage = self._session_usage + tally.usage

    async def apply_compaction(self, draft: CompactionDraft) -> None:
        """Carries out a draft, with its summary as the person left it. Raises `UsageError` while a turn runs, where the
        session went on since, or where something that must stay would be lost."""
        self._must_be_idle()
        try:
            apply_compaction(self._bench, draft)
        except CannotFold as refused:
            raise UsageError(str(refused).rstrip("."), todo="Make a new draft") from refused

    def uncompact(self) -> bool:
        """Takes the last compaction back; False where there is none. Raises `UsageError` while a turn runs."""
        self._must_be_idle()
        return uncompact(self._bench)

    # --- marks on entries ---------------------------------------------------------------------------------------

    def pin(self, ids: Sequence[str]) -> None:
        """These entries stay word for word through everything. Raises `UsageError` for ids that are not in the window."""
        self._mark("pinned", ids)

    def drop(self, ids: Sequence[str]) -> None:
        """These entries leave the window; they stay in the session. Raises `UsageError`, also for the person's last words."""
        last = {one.id for one in last_words(self._bench.record.entries)}
        if last.intersection(ids):
            raise UsageError("Your last message cannot be dropped: it is what the model answers")
        self._mark("dropped", ids)

    def shorten(self, ids: Sequence[str]) -> None:
        """Only the beginning of these entries is sent. Raises `UsageError`."""
        self._mark("shortened", ids)

    def restore(self, ids: Sequence[str]) -> None:
        """Takes marks back. Raises `UsageError`."""
        self._mark("", ids)

    def cache_price(self, ids: Sequence[str]) -> int:
        """Tokens the provider would have to read again, uncached, if these entries were dropped, shortened or restored."""
        return reread_price(self._bench, ids)

    def _mark(self, mark: Mark, ids: Sequence[str]) -> None:
        record = self._bench.record
        known = {one.id for one in record.entries}
        if unknown := [one for one in ids if one not in known]:
            raise UsageError(f"Not in the window: {', '.join(unknown)}", todo="/context lists what is")
        record.mark(mark, ids)

    def _tally(self) -> Tally:
        return Tally(self._house.clock.monotonic())
