"""Who answers: combos, ranking, attempts, fallback before commitment, the record of it all."""

from .backoff import Rounds
from .breaker import Breaker, BreakerView
from .call import Call
from .errors import AllFailed, GatewayError, NoCandidate
from .gateway import Gateway, OpenProvider
from .observer import Observer, Waiting
from .pricing import cost_usd, priced
from .resumed import Resumed
from .standing import Scoreboard, Standing, scoreboard
from .strategies import STRATEGIES, strategy_named
from .telemetry import Measured

__all__ = [
    "STRATEGIES",
    "AllFailed",
    "Breaker",
    "BreakerView",
    "Call",
    "Gateway",
    "GatewayError",
    "Measured",
    "NoCandidate",
    "Observer",
    "OpenProvider",
    "Resumed",
    "Rounds",
    "Scoreboard",
    "Standing",
    "Waiting",
    "cost_usd",
    "priced",
    "scoreboard",
    "strategy_named",
]
