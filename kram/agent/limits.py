"""What a turn may use, and what it has used so far. Reaching a limit is a soft landing, never a cut."""

from __future__ import annotations

from kram.base import Data
from kram.messages import Route, Usage

NEAR = 0.8


class Limits(Data):
    """Budgets of one turn; 0 means none. A segment is a stretch of model calls that the person sees announced."""

    calls_per_segment: int = 50
    segments: int = 4
    max_cost_usd: float = 0.0
    max_tokens: int = 0
    max_seconds: float = 0.0
    max_compactions: int = 3
    parallel_calls: int = 8
    output_chars: int = 180_000
    """What the tools of one turn may put into the window together; more goes to artifacts."""

    strict: bool = False
    """Without a soft landing: what goes past the number of calls is an error."""

    terminal_tool: str = ""
    """The one tool a turn must end with, where there is one; only its name in the error depends on it."""

    @property
    def max_calls(self) -> int:
        return self.calls_per_segment * self.segments


class Tally:
    """Running sums of a turn, in the order things happened. `turn` is the id of the entry it began with, "" outside of one."""

    def __init__(self, began_s: float, turn: str = "") -> None:
        self.began_s = began_s
        self.turn = turn
        self.usage = Usage()
        self.model_calls = 0
        self.output_chars = 0
        self.room_chars = 0
        self.compactions = 0
        self.compaction_tries = 0
        self.routes: list[Route] = []

    def add_route(self, route: Route) -> None:
        self.routes.append(route)
        self.usage = self.usage + route.usage

    def spent(self, limits: Limits, now_s: float) -> float:
        """The largest used share of any budget but the number of calls; 1.0 and more means used up."""
        shares = (
            _share(self.usage.cost_usd or 0.0, limits.max_cost_usd),
            _share(self.usage.total, limits.max_tokens),
            _share(now_s - self.began_s, limits.max_seconds),
        )
        return max(shares)


def _share(used: float, allowed: float) -> float:
    return used / allowed if allowed > 0 else 0.0
