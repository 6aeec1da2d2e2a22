"""The gateway's record of a call, told as events and counted in the turn's tally."""

from __future__ import annotations

from kram.events import Emit, Retrying, RouteAttempted, RouteDone, RouteStarted
from kram.gateway import Observer, Waiting
from kram.messages import Attempt, Route

from .limits import Tally


class RouteTeller(Observer):
    def __init__(self, emit: Emit, tally: Tally) -> None:
        self._emit = emit
        self._tally = tally

    def started(self, route: Route) -> None:
        candidates = tuple(one.candidate for one in route.ranking if one.eligible)
        self._emit(
            RouteStarted(
                route_id=route.id,
                combo=route.combo,
                strategy=route.strategy,
                candidates=candidates,
                purpose=route.purpose,
            )
        )

    def attempted(self, route_id: str, attempt: Attempt) -> None:
        self._emit(RouteAttempted(route_id=route_id, attempt=attempt))

    def waiting(self, waiting: Waiting) -> None:
        self._emit(Retrying(reason=waiting.reason, delay_s=waiting.delay_s, round=waiting.round, rounds=waiting.rounds))

    def done(self, route: Route) -> None:
        self._tally.add_route(route)
        self._emit(RouteDone(route=route))
