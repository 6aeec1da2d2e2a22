"""How to rank candidates, one file an idea; each returns all of them in the order they are tried."""

from .field import Field, Strategy
from .names import STRATEGIES, strategy_named

__all__ = ["STRATEGIES", "Field", "Strategy", "strategy_named"]
