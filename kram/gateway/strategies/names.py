"""The strategies by name."""

from __future__ import annotations

from kram.base import UsageError
from kram.gateway.scoring import PRESETS

from .field import Strategy
from .order import lkgp, prefix_affinity, priority, round_robin
from .p2c import p2c
from .weighted import weighted

STRATEGIES: dict[str, Strategy] = {
    "priority": priority,
    "round-robin": round_robin,
    "prefix-affinity": prefix_affinity,
    "lkgp": lkgp,
    "p2c": p2c,
    **{preset: weighted(preset) for preset in PRESETS},
}


def strategy_named(name: str) -> Strategy:
    """The empty name is `priority`. Raises `UsageError` naming the known strategies."""
    try:
        return STRATEGIES[name or "priority"]
    except KeyError:
        raise UsageError(
            f"Unknown routing strategy '{name}'", todo=f"Use one of: {', '.join(sorted(STRATEGIES))}"
        ) from None
