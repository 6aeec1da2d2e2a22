"""How many model calls a turn may make, in segments, with a soft landing on the last one."""

from __future__ import annotations

from kram.agent.limits import NEAR, Limits, Tally
from kram.base import Data


class Round(Data):
    """The next model call. `final`: tools are off and the model is asked for a plain answer; `segment` > 0 starts one."""

    number: int
    final: bool = False
    segment: int = 0
    near: bool = False


class RoundGuard:
    """Counts calls. After a final round there is no next one."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._number = 0
        self._told_near = False
        self.landed = False

    def next(self, tally: Tally, now_s: float) -> Round | None:
        """The next round, or None once the landing is over."""
        if self.landed:
            return None
        self._number += 1
        limits = self._limits
        if limits.strict and self._number > limits.max_calls:
            return None
        spent = tally.spent(limits, now_s)
        final = (self._number >= limits.max_calls or spent >= 1.0) and not limits.strict
        near = spent >= NEAR and not self._told_near and not final
        self._told_near = self._told_near or near
        self.landed = final
        starts_segment = (self._number - 1) % limits.calls_per_segment == 0
        segment = (self._number - 1) // limits.calls_per_segment + 1 if starts_segment else 0
        return Round(number=self._number, final=final, segment=segment, near=near)
