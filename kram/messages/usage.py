"""What a model call used. `input` is the whole prompt, cached tokens included; the cache figures are parts of it."""

from __future__ import annotations

from kram.base import Data


class Usage(Data):
    """Tokens of one call or a sum of calls; `reasoning` is a part of `output` where the provider says so."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    reasoning: int = 0
    cost_usd: float | None = None
    latency_ms: int = 0

    @property
    def total(self) -> int:
        return self.input + self.output

    @property
    def processed(self) -> int:
        """Prompt tokens that were not served from a cache, never below zero."""
        return max(0, self.input - self.cache_read)

    def __add__(self, other: Usage) -> Usage:
        """Field by field; the cost is unknown only while both are."""
        known = [cost for cost in (self.cost_usd, other.cost_usd) if cost is not None]
        return Usage(
            input=self.input + other.input,
            output=self.output + other.output,
            cache_read=self.cache_read + other.cache_read,
            cache_write=self.cache_write + other.cache_write,
            reasoning=self.reasoning + other.reasoning,
            cost_usd=sum(known) if known else None,
            latency_ms=self.latency_ms + other.latency_ms,
        )

    @property
    def reported(self) -> bool:
        """Whether a provider reported anything at all."""
        return bool(self.input or self.output)
