"""Waiting between rounds: doubling, capped, with jitter, never shorter than what a provider asked for."""

from __future__ import annotations

import random

from kram.base import Data


class Rounds(Data):
    """How often and how long a model call is tried. Times in seconds; `budget_s` bounds all rounds together."""

    rounds: int = 3
    first_delay_s: float = 0.5
    max_delay_s: float = 5.0
    max_retry_after_s: float = 120.0
    jitter: float = 0.1
    budget_s: float = 600.0

    def delay_s(self, finished_round: int, retry_after_s: float | None, rng: random.Random) -> float:
        """The wait after round 1, 2, …; `retry_after_s` is a floor, itself capped. Nobody comes back before it, and not all
        at the same moment: its jitter is upwards only."""
        base = min(self.max_delay_s, self.first_delay_s * 2.0 ** (finished_round - 1))
        own = base * (1 + rng.uniform(-self.jitter, self.jitter))
        floor = min(retry_after_s or 0.0, self.max_retry_after_s) * (1 + rng.uniform(0.0, self.jitter))
        return max(own, floor)
