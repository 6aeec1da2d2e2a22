"""The one score computation. Screens show what this made; they never compute a score of their own.

Six factors between 0 and 1, weights that sum to 1, and a boost for the last candidate that worked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kram.base import Data
from kram.messages import Factor, Ranked

from .breaker import State
from .telemetry import Measured

FACTORS = ("health", "reliability", "latency", "quality", "cache_affinity", "priority", "price")

PRESETS: dict[str, dict[str, float]] = {
    "smart": {"health": 30, "reliability": 20, "latency": 15, "quality": 15, "cache_affinity": 15, "priority": 5},
    "quality": {
        "quality": 35,
        "reliability": 25,
        "health": 20,
        "cache_affinity": 10,
        "latency": 5,
        "priority": 5,
    },
    "fast": {"latency": 40, "health": 25, "reliability": 20, "cache_affinity": 10, "priority": 5},
    "reliable": {"reliability": 40, "health": 30, "cache_affinity": 15, "latency": 10, "priority": 5},
    "cheap": {"price": 35, "health": 30, "reliability": 20, "latency": 10, "cache_affinity": 5},
    "weighted": {},
}
"""Weights of the presets, in parts of a hundred."""

_SHARED = ("health", "reliability", "latency", "quality", "cache_affinity", "priority")


class Scored(Data):
    """What is known of a candidate when it is scored. `price_usd` is for a million tokens of input and output together."""

    name: str
    state: State
    measured: Measured
    quality_hint: float = 0.0
    price_usd: float | None = None
    would_hit_cache: bool | None = None
    position: int = 0


def weights(strategy: str, custom: Mapping[str, float]) -> dict[str, float]:
    """A preset with the person's weights over it, normalised to sum 1; negatives count as 0, all zero is an equal split."""
    merged = {**PRESETS[strategy], **{_alias(name): value for name, value in custom.items()}}
    clamped = {name: max(0.0, merged.get(name, 0.0)) for name in FACTORS}
    total = sum(clamped.values())
    if total == 0:
        return {name: (1 / len(_SHARED) if name in _SHARED else 0.0) for name in FACTORS}
    return {name: value / total for name, value in clamped.items()}


def _alias(name: str) -> str:
    return "cache_affinity" if name == "cache" else name


def score(candidates: Sequence[Scored], weight: Mapping[str, float], *, last_good: str, boost: float) -> list[Ranked]:
    """Every candidate with its factors and reasons, best first; equal scores keep the declared order."""
    rows: list[Ranked] = []
    for candidate in candidates:
        factors = tuple(
            Factor(name=name, weight=weight[name], value=value, contribution=weight[name] * value)
            for name, value in _values(candidate, candidates).items()
            if weight[name] > 0
        )
        total = sum(factor.contribution for factor in factors)
        reasons: list[str] = []
        if candidate.name == last_good:
            total += min(1.0, max(0.0, boost))
            reasons.append("last-known-good")
        if candidate.would_hit_cache:
            reasons.append("cache-affinity")
        rows.append(Ranked(candidate=candidate.name, score=total, factors=factors, reasons=tuple(reasons)))
    return sorted(rows, key=lambda row: -(row.score or 0.0))


def _values(candidate: Scored, among: Sequence[Scored]) -> dict[str, float]:
    measured = candidate.measured
    return {
        "health": {"closed": 1.0, "half-open": 0.5, "open": 0.0}[candidate.state],
        "reliability": 0.5 if measured.success is None else measured.success,
        "latency": _relative(measured.ttft_ms, [one.measured.ttft_ms for one in among]),
        "quality": candidate.quality_hint or 0.5,
        "cache_affinity": 0.5 if candidate.would_hit_cache is None else float(candidate.would_hit_cache),
        "priority": 1.0 if len(among) == 1 else 1 - candidate.position / (len(among) - 1),
        "price": _relative(candidate.price_usd, [one.price_usd for one in among]),
    }


def _relative(own: float | None, all_figures: Sequence[float | None]) -> float:
    """1 for the smallest figure of the set, 0 for the largest, 1 where all are equal, 0.5 for an unknown one."""
    if own is None:
        return 0.5
    known = [figure for figure in all_figures if figure is not None]
    low, high = min(known), max(known)
    return 1.0 if high == low else (high - own) / (high - low)
