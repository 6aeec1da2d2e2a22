"""The gateway's record of a call: told as events, kept with the session, counted in the turn's tally."""

from __future__ import annotations

import logging

from kram.events import Retrying, RouteAttempted, RouteDone, RouteStarted
from kram.gateway import Observer, Waiting
from kram.messages import Attempt, Route
from kram.sessions import StoreError

from .bench import Bench
from .limits import Tally

log = logging.getLogger(__name__)


class RouteTeller(Observer):
    def __init__(self, bench: Bench, tally: Tally) -> None:
        self._bench = bench
        self._emit = bench.emit
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
        self._emit(
            Retrying(
                reason=waiting.reason,
                delay_s=waiting.delay_s,
                round=waiting.round,
                rounds=waiting.rounds,
                route_id=waiting.route_id,
                candidate=waiting.candidate,
                kind=waiting.kind,
                http_status=waiting.http_status,
            )
        )

    def done(self, route: Route) -> None:
        self._tally.add_route(route)
        try:
            self._bench.record.save_route(route)
        except StoreError:
            # A store that cannot be written stops the turn at its next entry; the trace alone does not.
            log.exception("a route could not be kept")
        self._emit(RouteDone(route=route))
