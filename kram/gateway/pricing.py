"""What a call cost: reported tokens times the catalogue's price. No price or no report means unknown, never zero."""

from __future__ import annotations

import msgspec

from kram.config import Model
from kram.messages import Usage

_MILLION = 1_000_000


def cost_usd(model: Model, usage: Usage) -> float | None:
    """US dollars; cached tokens at their own price where there is one, else at the input price."""
    price = model.price
    if price is None or usage.input <= 0 or usage.output < 0:
        # Every request has a prompt: without its figure the report is no report.
        return None
    cached = min(max(0, usage.cache_read), max(0, usage.input))
    written = min(max(0, usage.cache_write), max(0, usage.input - cached))
    fresh = max(0, usage.input - cached - written)
    read_price = price.input if price.cache_read is None else price.cache_read
    write_price = price.input if price.cache_write is None else price.cache_write
    total = fresh * price.input + cached * read_price + written * write_price + max(0, usage.output) * price.output
    return total / _MILLION


def priced(model: Model, usage: Usage) -> Usage:
    """The same usage with its cost filled in."""
    return msgspec.structs.replace(usage, cost_usd=cost_usd(model, usage))
