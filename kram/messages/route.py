"""Which model answered and why: the record of one model call's route. Made by the gateway, shown by every front end."""

from __future__ import annotations

from collections.abc import Mapping

from kram.base import Data

from .usage import Usage


class Attempt(Data):
    """One try at one candidate. `outcome`: waiting, trying, streaming, success, error, rejected, skipped, cancelled.

    - `kind` is the failure class: network, timeout, server_error, rate_limit, auth, invalid_request, model_missing,
      context_overflow, content_rejected, incomplete, cancelled, unknown.
    - `wait_s`: how long it had to wait for our own rate limit. `trial`: the one trial of a candidate that had rested.
    """

    number: int
    provider: str
    model: str
    outcome: str = "trying"
    kind: str = ""
    reason: str = ""
    http_status: int | None = None
    latency_ms: int = 0
    ttft_ms: int | None = None
    round: int = 1
    wait_s: float = 0.0
    trial: bool = False

    @property
    def name(self) -> str:
        return f"{self.provider}/{self.model}"


class Factor(Data):
    """One term of a score: `contribution` is weight times value."""

    name: str
    weight: float
    value: float
    contribution: float


class Ranked(Data):
    """A candidate in the order it would be tried, with the reason it stands there or was left out."""

    candidate: str
    eligible: bool = True
    score: float | None = None
    factors: tuple[Factor, ...] = ()
    reasons: tuple[str, ...] = ()


class Route(Data):
    """The route of one model call: combo, strategy, ranking, attempts, winner, usage.

    `turn` is the id of the entry that began the turn, "" outside of one. `sent` is what the request held, in estimated
    tokens by category.
    """

    id: str
    purpose: str = "turn"
    turn: str = ""
    sent: Mapping[str, int] = {}
    combo: str = ""
    strategy: str = ""
    ranking: tuple[Ranked, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    winner: str = ""
    usage: Usage = Usage()
    duration_ms: int = 0
