"""The weighted family: presets over one scoring engine, with stickiness and a little exploration."""

from __future__ import annotations

import msgspec

from kram.gateway.scoring import score, weights
from kram.messages import Ranked

from .field import Field, Strategy


def weighted(preset: str) -> Strategy:
    """The strategy of a preset (`weighted` itself has none: the person's weights alone)."""

    def rank(field: Field) -> list[Ranked]:
        options = field.combo.options
        weight = weights(preset, options.weights)
        if weight["price"] and all(one.price_usd is None for one in field.candidates):
            # Without any known price the declared order is the best hint at what is cheap.
            weight = {**weight, "priority": weight["priority"] + weight["price"], "price": 0.0}
        good = field.memory.last_good(field.combo.name)
        rows = score(field.candidates, weight, last_good=good, boost=options.lkgp_boost)
        sticky = field.memory.sticky(field.run_key) if options.sticky else ""
        if any(row.candidate == sticky for row in rows):
            return _promoted(rows, sticky, "sticky")
        if len(rows) > 1 and field.rng.random() < options.exploration:
            return _promoted(rows, field.rng.choice(rows).candidate, "explore")
        return rows

    return rank


def _promoted(rows: list[Ranked], name: str, reason: str) -> list[Ranked]:
    leader = next(row for row in rows if row.candidate == name)
    tagged = msgspec.structs.replace(leader, reasons=(*leader.reasons, reason))
    return [tagged, *(row for row in rows if row.candidate != name)]
