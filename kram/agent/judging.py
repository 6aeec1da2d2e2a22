"""What the guards say of a round, in the order of what matters most: a cut, the content filter, the person's words, an answer
that breaks off, an announcement, calls that repeat. And what the person says when a guard wants to stop."""

from __future__ import annotations

from kram.base import new_id
from kram.events import UserPort
from kram.messages import Completion

from .guards import CutGuard, Exchanged, ExchangeGuard, FinishGuard, GuardResult, Repeated, Stop

KEEP_GOING = "Keep going"
STOP_HERE = "Stop here"


class Judge:
    """The guards of one turn. `continuations`: how often an answer may be asked to go on, None for the usual."""

    def __init__(self, continuations: int | None = None) -> None:
        self._finish = FinishGuard() if continuations is None else FinishGuard(continuations)
        self._repeats = ExchangeGuard()
        self._cuts = CutGuard()
        self._had_results = False

    def cut(self, repeated: Repeated) -> GuardResult:
        """An answer that went round in circles and was cut."""
        return self._cuts.judge(repeated)

    def answer(self, completion: Completion, problem: str) -> GuardResult:
        """An answer without calls."""
        self._cuts.reset()
        return self._finish.judge(completion, problem, after_tools=self._had_results)

    def began_calls(self) -> None:
        """Calls are about to run: the model makes progress."""
        self._cuts.reset()
        self._finish.reset()

    def round(self, exchanges: list[Exchanged]) -> GuardResult:
        """Calls with their results."""
        self._had_results = True
        return self._repeats.judge(exchanges)

    async def goes_on(self, stop: Stop, user: UserPort) -> bool:
        """Asks the person whether to go on all the same. Where nobody can be asked, it stops."""
        answer = await user.ask(new_id(), f"{stop.reason}. Keep going?", (KEEP_GOING, STOP_HERE))
        if answer is None or not answer.strip().lower().startswith(("keep", "go", "yes", "y")):
            return False
        self._finish.reset()
        self._repeats.reset()
        self._cuts.reset()
        return True
