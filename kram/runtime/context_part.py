"""What the model sees of a session: the report, and folding."""

from __future__ import annotations

from kram.agent import Inspection, Tally, compact, inspect_request, measure
from kram.events import ContextReport

from .held import Held


class ContextPart(Held):
    def context_report(self) -> ContextReport:
        """What the next request would hold, by the same count the trigger uses."""
        return measure(self._bench)

    def inspect(self) -> Inspection:
        """The next request, part by part, and the body that would be sent."""
        return inspect_request(self._bench)

    async def compact(self, focus: str = "") -> str:
        """Summarises the older part now; says what came of it. Raises `UsageError` while a turn runs."""
        self._must_be_idle()
        before = self.context_report().used
        tally = Tally(self._house.clock.monotonic())
        folded = await compact(self._bench, tally, trigger="manual", focus=focus)
        self._session_usage = self._session_usage + tally.usage
        if not folded.done:
            return folded.reason
        return f"Summarised: {before} tokens became {self.context_report().used}. The originals stay in the session."
