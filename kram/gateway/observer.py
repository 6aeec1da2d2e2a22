"""What a caller may listen to while a model call is routed."""

from __future__ import annotations

from kram.base import Data
from kram.messages import Attempt, Route


class Waiting(Data):
    """Nothing can be tried right now; round `round` follows after `delay_s`.

    `candidate`, `kind` and `http_status` tell whose failure or rest is the reason, as in an `Attempt`.
    """

    reason: str
    delay_s: float
    round: int
    rounds: int
    route_id: str = ""
    candidate: str = ""
    kind: str = ""
    http_status: int | None = None


class Observer:
    """Every method may be overridden, must return at once and must not raise."""

    def started(self, route: Route) -> None: ...

    def attempted(self, route_id: str, attempt: Attempt) -> None: ...

    def waiting(self, waiting: Waiting) -> None: ...

    def done(self, route: Route) -> None: ...
