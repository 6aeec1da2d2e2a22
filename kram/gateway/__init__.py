"""Who answers: combos, ranking, attempts, fallback before commitment, the record of it all."""

from .backoff import Rounds
from .errors import AllFailed, GatewayError, NoCandidate
from .gateway import Call, Gateway, Observer, OpenProvider, Waiting
from .pricing import cost_usd, priced

__all__ = [
    "AllFailed",
    "Call",
    "Gateway",
    "GatewayError",
    "NoCandidate",
    "Observer",
    "OpenProvider",
    "Rounds",
    "Waiting",
    "cost_usd",
    "priced",
]
