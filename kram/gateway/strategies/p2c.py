"""Power of two choices: two candidates drawn at random, the healthier and more reliable one leads."""

from __future__ import annotations

import msgspec

from kram.gateway.scoring import Scored
from kram.messages import Factor, Ranked

from .field import Field, led_by, plain

WEIGHTS = {"health": 0.6, "reliability": 0.4}


def p2c(field: Field) -> list[Ranked]:
    """The better of two samples first (the first sample wins a tie), the rest in declared order."""
    if len(field.candidates) < 2:
        return plain(field.names())
    first, second = field.rng.sample(list(field.candidates), 2)
    leader = second if _worth(second) > _worth(first) else first
    rows = plain(led_by(field.names(), leader.name), first_reason="p2c")
    rows[0] = msgspec.structs.replace(rows[0], score=_worth(leader), factors=_factors(leader))
    return rows


def _factors(candidate: Scored) -> tuple[Factor, ...]:
    success = candidate.measured.success
    values = {
        "health": {"closed": 1.0, "half-open": 0.5, "open": 0.0}[candidate.state],
        "reliability": 0.5 if success is None else success,
    }
    return tuple(
        Factor(name=name, weight=weight, value=values[name], contribution=weight * values[name])
        for name, weight in WEIGHTS.items()
    )


def _worth(candidate: Scored) -> float:
    return sum(factor.contribution for factor in _factors(candidate))
