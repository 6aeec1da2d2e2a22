"""How much room the history has: one target from window, reserve, fixed tokens and headroom."""

from __future__ import annotations

from kram.base import Data

DEFAULT_HEADROOM = 10_000
MAX_RESERVE = 8_000


class Plan(Data):
    """All in tokens; `window` 0 means unknown, and then nothing is ever cut.

    `reserve` is kept for the answer, `history` is the hard budget of the history, `target` is where shaping starts:
    below the budget, so that the prompt's prefix is rewritten rarely.
    """

    window: int
    fixed: int
    reserve: int
    history: int
    target: int

    @property
    def unbudgeted(self) -> bool:
        return self.window <= 0


def budget(context: int, reserve_percent: int) -> int:
    """`context` less a percentage, in whole tokens; the percentage is clamped to 0..99, an unknown context gives 0."""
    if context <= 0:
        return 0
    return context * (100 - min(99, max(0, reserve_percent))) // 100


def shape_target(history: int, headroom: int = 0) -> int:
    """The budget less headroom (0: 10,000; negative: none); the budget itself where nothing would be left."""
    wanted = DEFAULT_HEADROOM if headroom == 0 else max(0, headroom)
    target = history - wanted
    return target if target > 0 else history


def plan(
    window: int, fixed: int, *, headroom: int = 0, max_output: int = 0, reserve: int = 0, doubt: float = 0.0
) -> Plan:
    """The plan for a window and the fixed tokens of prompt parts and tool definitions.

    Without a `reserve` it is an eighth of the window, at most 8,000, and never more than the model can write where that is
    known. One that was asked for is taken as it is, but for half of the window at most. `doubt` is the share that the count
    may be off by: the history gets that much less.
    """
    if window <= 0:
        return Plan(window=0, fixed=fixed, reserve=0, history=0, target=0)
    kept = min(reserve, window // 2) if reserve > 0 else min(window // 8, MAX_RESERVE)
    if max_output > 0 and reserve <= 0:
        kept = min(kept, max_output)
    history = max(0, window - fixed - kept - round(window * doubt))
    return Plan(window=window, fixed=fixed, reserve=kept, history=history, target=shape_target(history, headroom))


def window_for(fixed: int, history: int) -> int:
    """The window that leaves so much for the history, by the reserve `plan` takes of itself."""
    needed = fixed + max(1, history)
    return min(-(-needed * 8 // 7), needed + MAX_RESERVE)
