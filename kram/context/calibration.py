"""How one model counts, learnt from the figures its provider reports: weights of a text's features, by recursive least squares.

Before the first report a model is taken to need a token for four bytes. From then on the weights start at what public
tokenisers have in common and move with every report, each at most as far as its own uncertainty goes and never out of its
bounds; one odd report moves little. A small drift keeps them able to follow a model that changes behind its name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from kram.base import Data

Vector: TypeAlias = tuple[float, ...]

NAMES = (
    "words",
    "capitals",
    "digits",
    "marks",
    "more_marks",
    "line_ends",
    "cjk",
    "other",
    "blocks",
    "tools",
    "request",
)
CHEAP_RUNS = 0.02
"""What a further punctuation mark takes at least, in long lines of the same one."""
START: Vector = (1.07, 0.35, 0.7, 0.8, 0.12, 0.95, 0.97, 1.2, 4.0, 1.0, 10.0)
"""Tokens for each; `tools` is a factor on what the definitions' JSON would take, `request` what comes on top once a call."""
SPREAD: Vector = (0.16, 0.21, 0.35, 0.24, 0.1, 0.38, 0.4, 0.7, 2.0, 0.4, 250.0)
"""How unsure the start is, as a standard deviation."""
LEAST: Vector = (0.3, 0.0, 0.1, 0.1, 0.0, 0.0, 0.2, 0.2, 0.0, 0.2, -2000.0)
MOST: Vector = (3.0, 2.0, 1.6, 2.5, 1.2, 3.0, 3.5, 5.0, 12.0, 3.0, 8000.0)

TEXT = 8
"""How many of the weights are those of text."""
NOISE = 0.02
"""What no weights explain: a share of the whole."""
FLOOR_TOKENS = 5.0
DRIFT = 0.02
"""Of the first uncertainty, what comes back with every report."""
ODD = 3.0
"""Standard deviations beyond which a report counts less..."""
SETTLED = 3
"""... once there were so many: before that a surprise says that the start was wrong."""
ERROR_ALPHA = 0.25


class Calibration(Data):
    """`uncertainty` is the weights' covariance, row by row; `error` the mean relative error of the estimates made so far."""

    calls: int = 0
    weights: Vector = START
    uncertainty: Vector = ()
    error: float = 0.0

    def usable(self) -> bool:
        """Whether it has the shape this version works with: it may come from a file."""
        return len(self.weights) == len(START) and len(self.uncertainty) in (0, len(START) ** 2)


UNKNOWN = Calibration()


def vector(text: Sequence[int], *, blocks: int, tools: float) -> Vector:
    """What a request is made of. `tools`: the definitions' size by the starting weights."""
    return (*map(float, text), float(blocks), tools, 1.0)


def weighed(weights: Vector, text: Sequence[int]) -> float:
    """Tokens of a text alone."""
    return sum(weight * count for weight, count in zip(weights, text, strict=False))


def predicted(known: Calibration, request: Vector) -> float:
    return _dot(known.weights, request)


def learnt(known: Calibration, request: Vector, reported: int) -> Calibration:
    """The calibration after one more report."""
    size = range(len(START))
    spread = [list(row) for row in _rows(known)]
    for at in size:
        spread[at][at] += (DRIFT * SPREAD[at]) ** 2
    seen = [_dot(row, request) for row in spread]
    explained = _dot(seen, request)
    surprise = reported - predicted(known, request)
    noise = (NOISE * reported) ** 2 + FLOOR_TOKENS**2
    if known.calls >= SETTLED:
        noise = max(noise, surprise**2 / ODD**2 - explained)
    gain = [one / (explained + noise) for one in seen]
    weights = tuple(min(MOST[at], max(LEAST[at], known.weights[at] + gain[at] * surprise)) for at in size)
    rows = tuple(spread[one][other] - gain[one] * seen[other] for one in size for other in size)
    return Calibration(
        calls=known.calls + 1, weights=weights, uncertainty=rows, error=_error(known, surprise, reported)
    )


def _error(known: Calibration, surprise: float, reported: int) -> float:
    """The first estimate was made of nothing and says nothing about those that follow."""
    now = abs(surprise) / max(1, reported)
    if known.calls <= 1:
        return now if known.calls else 0.0
    return known.error + ERROR_ALPHA * (now - known.error)


def _rows(known: Calibration) -> list[Vector]:
    size = len(START)
    if known.uncertainty:
        return [known.uncertainty[at * size : (at + 1) * size] for at in range(size)]
    return [tuple(SPREAD[at] ** 2 if at == other else 0.0 for other in range(size)) for at in range(size)]


def _dot(left: Sequence[float], right: Sequence[float]) -> float:
    return sum(one * other for one, other in zip(left, right, strict=True))
