"""One file an idea of how to rank candidates; each returns all of them in the order they are tried."""

from .order import Strategy, priority, strategy_named

__all__ = ["Strategy", "priority", "strategy_named"]
