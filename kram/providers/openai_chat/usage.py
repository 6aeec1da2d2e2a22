"""Token figures of Chat Completions, under all the names servers gave them. Figures are running totals: of each field the
last one counts. `prompt_tokens` includes cached tokens everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class Figures:
    """None is not reported; negative figures and other nonsense count as that."""

    def __init__(self) -> None:
        self.input: int | None = None
        self.output: int | None = None
        self.cache_read: int | None = None
        self.cache_write: int | None = None
        self.reasoning: int | None = None

    def note(self, usage: Any) -> None:
        if not isinstance(usage, dict):
            return
        prompt, completion = _dict(usage.get("prompt_tokens_details")), _dict(usage.get("completion_tokens_details"))
        self.input = _last(self.input, usage.get("prompt_tokens"))
        self.output = _last(self.output, usage.get("completion_tokens"))
        self.cache_read = _last(
            self.cache_read,
            prompt.get("cached_tokens"),
            usage.get("prompt_cache_hit_tokens"),
            usage.get("cached_tokens"),
        )
        self.cache_write = _last(self.cache_write, prompt.get("cache_write_tokens"))
        self.reasoning = _last(self.reasoning, completion.get("reasoning_tokens"))


def _last(before: int | None, *candidates: Any) -> int | None:
    """The first of the candidates that is a count, else what was known before."""
    return next(_counts(*candidates), before)


def _counts(*candidates: Any) -> Iterator[int]:
    for value in candidates:
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            yield value


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
