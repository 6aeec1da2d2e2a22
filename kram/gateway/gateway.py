"""Who answers: one gateway a process, with what all its calls share.

    constraints -> ranking -> attempts (`call`) -> the first meaningful event commits

Providers, breakers, telemetry and routing memory live here; one model call is a `Call`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import TypeAlias

import msgspec

from kram.base import Clock, new_id
from kram.config import Combo, RateLimit, Roster
from kram.config import Provider as ProviderConfig
from kram.messages import CompletionRequest, Ranked, Route
from kram.providers import Limiter, Provider, limiter_for

from .affinity import Memory, affine_choice, affinity_key
from .backoff import Rounds
from .breaker import Breakers
from .call import Call
from .candidates import Candidate, Sorted, eligible
from .observer import Observer
from .resumed import Resumed
from .scoring import Scored
from .strategies import Field, strategy_named
from .telemetry import Measured, Telemetry

OpenProvider: TypeAlias = Callable[[ProviderConfig], Provider]


class Gateway:
    """Holds open providers; safe for concurrent calls. `aclose` closes what it opened."""

    def __init__(
        self,
        roster: Roster,
        open_provider: OpenProvider,
        clock: Clock,
        *,
        rounds: Rounds | None = None,
        rng: random.Random | None = None,
        measured: Mapping[str, Measured] | None = None,
    ) -> None:
        self.roster = roster
        self.clock = clock
        self.rounds = rounds or Rounds()
        self.rng = rng or random.Random()
        self.breakers = Breakers()
        self.telemetry = Telemetry(measured)
        self.memory = Memory()
        self._open_provider = open_provider
        self._open: dict[str, Provider] = {}
        self._left: list[Provider] = []
        self._limiters: dict[str, tuple[RateLimit, Limiter | None]] = {}

    def use(self, roster: Roster) -> None:
        """From the next call on. An account that changed is opened anew and judged anew; calls under way keep the old one."""
        before, self.roster = self.roster, roster
        for name, account in before.providers.items():
            if not _same(account, roster.providers.get(name)):
                self.breakers.forget(name)
                if name in self._open:
                    self._left.append(self._open.pop(name))

    def provider(self, name: str) -> Provider:
        """The open provider of that name; raises what opening it raises."""
        if name not in self._open:
            self._open[name] = self._open_provider(self.roster.providers[name])
        return self._open[name]

    def limiter(self, name: str) -> Limiter | None:
        """The limit that all users of a provider share; None where none is set."""
        limit = self.roster.providers[name].rate_limit
        known = self._limiters.get(name)
        if known is None or known[0] != limit:
            known = self._limiters[name] = (limit, limiter_for(limit, self.clock))
        return known[1]

    def call(
        self,
        request: CompletionRequest,
        combo: Combo,
        *,
        purpose: str = "turn",
        run_key: str = "",
        turn: str = "",
        sent: Mapping[str, int] | None = None,
        prompt_tokens: int = 0,
        streaming: bool = True,
        observer: Observer | None = None,
        resumed: Resumed | None = None,
    ) -> Call:
        """One model call, not started yet: iterate it for events, then read `route` and `winner`.

        `run_key` names the run the call belongs to (stickiness); the conversation's start is used where it is "".
        `turn` and `sent` (estimated tokens by category) go into the route as they are. `resumed`: the call goes on where
        another one broke.
        """
        return Call(
            self,
            request,
            combo,
            route=Route(
                id=new_id(),
                purpose=purpose,
                turn=turn,
                sent=dict(sent or {}),
                combo=combo.name,
                strategy=combo.strategy or "priority",
            ),
            run_key=run_key or affinity_key(request),
            prompt_tokens=prompt_tokens,
            streaming=streaming,
            observer=observer or Observer(),
            resumed=resumed,
        )

    def sort(self, request: CompletionRequest, combo: Combo, prompt_tokens: int) -> Sorted:
        """The combo's candidates by what they can do now. Changes nothing."""
        return eligible(
            combo,
            self.roster,
            request,
            self.breakers,
            now_s=self.clock.monotonic(),
            prompt_tokens=prompt_tokens,
        )

    def rank(
        self, candidates: tuple[Candidate, ...], request: CompletionRequest, combo: Combo, run_key: str
    ) -> tuple[list[Candidate], list[Ranked]]:
        """The candidates in the order of the combo's strategy, with the reasons. Raises `UsageError` for an unknown strategy."""
        affine = affine_choice(affinity_key(request), [candidate.name for candidate in candidates])
        field = self.field(candidates, combo, run_key=run_key, affine=affine, memory=self.memory, rng=self.rng)
        rows = strategy_named(combo.strategy)(field)
        by_name = {candidate.name: candidate for candidate in candidates}
        return [by_name[row.candidate] for row in rows], rows

    def field(
        self,
        candidates: tuple[Candidate, ...],
        combo: Combo,
        *,
        run_key: str,
        affine: str,
        memory: Memory,
        rng: random.Random,
    ) -> Field:
        """What a strategy looks at: the candidates with all that is known of each."""
        return Field(
            combo=combo,
            candidates=[self._scored(candidate, position, affine) for position, candidate in enumerate(candidates)],
            run_key=run_key,
            affine=affine,
            memory=memory,
            rng=rng,
        )

    def _scored(self, candidate: Candidate, position: int, affine: str) -> Scored:
        price = candidate.model.price
        return Scored(
            name=candidate.name,
            state=candidate.view.state,
            measured=self.telemetry.of(candidate.name),
            quality_hint=candidate.model.quality_hint,
            price_usd=None if price is None else price.input + price.output,
            would_hit_cache=candidate.name == affine if affine else None,
            position=position,
        )

    async def reopen(self, name: str) -> None:
        """The next call opens that provider anew, as the roster then says."""
        provider = self._open.pop(name, None)
        if provider is not None:
            await provider.aclose()

    async def aclose(self) -> None:
        for provider in (*self._open.values(), *self._left):
            await provider.aclose()
        self._open.clear()
        self._left.clear()


def _same(account: ProviderConfig, other: ProviderConfig | None) -> bool:
    """Whether requests would go to the same place with the same key; which models are known makes no difference."""
    return other is not None and msgspec.structs.replace(account, models=()) == msgspec.structs.replace(
        other, models=()
    )
