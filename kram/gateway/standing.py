"""How a combo's candidates stand now: the router's own scores, breakers and figures, looked at without changing anything."""

from __future__ import annotations

import random
from copy import deepcopy
from typing import Protocol

import msgspec

from kram.base import Clock, Data
from kram.config import Combo, Price
from kram.messages import CompletionRequest, Ranked

from .affinity import Memory, affine_choice, affinity_key
from .breaker import State
from .candidates import Candidate, Sorted
from .strategies import Field, strategy_named
from .telemetry import Measured, Telemetry


class Standing(Data):
    """One candidate. `ranked` is the router's own row; `wait_s` says when a resting one may be tried again, 0 where unknown."""

    ranked: Ranked
    state: State = "closed"
    wait_s: float = 0.0
    measured: Measured = Measured()
    price: Price | None = None

    @property
    def name(self) -> str:
        return self.ranked.candidate


class Scoreboard(Data):
    """Candidates in the order the next call would try them, those that are left out last.

    `drawn` marks strategies that decide anew by lot or by turn with every call: then the order is one of several.
    """

    combo: str
    strategy: str
    rows: tuple[Standing, ...]
    drawn: bool = False


class Looked(Protocol):
    """What is looked at of a gateway."""

    clock: Clock
    memory: Memory
    telemetry: Telemetry

    def sort(self, request: CompletionRequest, combo: Combo, prompt_tokens: int) -> Sorted: ...

    def field(
        self,
        candidates: tuple[Candidate, ...],
        combo: Combo,
        *,
        run_key: str,
        affine: str,
        memory: Memory,
        rng: random.Random,
    ) -> Field: ...


def scoreboard(gateway: Looked, combo: Combo, request: CompletionRequest, *, prompt_tokens: int = 0) -> Scoreboard:
    """Ranks a copy of what the gateway remembers, without exploration. Raises `UsageError` for an unknown strategy."""
    found = gateway.sort(request, combo, prompt_tokens)
    key = affinity_key(request)
    field = gateway.field(
        found.fitting,
        msgspec.structs.replace(combo, options=msgspec.structs.replace(combo.options, exploration=0.0)),
        run_key=key,
        affine=affine_choice(key, [candidate.name for candidate in found.fitting]),
        memory=deepcopy(gateway.memory),
        rng=random.Random(0),
    )
    ranked = strategy_named(combo.strategy)(field)
    known = {candidate.name: candidate for candidate in (*found.fitting, *found.resting)}
    now_s = gateway.clock.monotonic()
    return Scoreboard(
        combo=combo.name,
        strategy=combo.strategy or "priority",
        rows=tuple(
            _standing(row, known.get(row.candidate), gateway.telemetry, now_s) for row in (*ranked, *found.left_out)
        ),
        drawn=combo.strategy in ("round-robin", "p2c"),
    )


def _standing(row: Ranked, candidate: Candidate | None, telemetry: Telemetry, now_s: float) -> Standing:
    measured = telemetry.of(row.candidate)
    if candidate is None:
        return Standing(ranked=row, measured=measured)
    return Standing(
        ranked=row,
        state=candidate.view.state,
        wait_s=max(0.0, candidate.view.until_s - now_s),
        measured=measured,
        price=candidate.model.price,
    )
