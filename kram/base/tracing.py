"""Spans around what a turn does, for whoever wants to measure it elsewhere. Without a tracer nothing is built and nothing costs.

with tracer.span("Turn", session_id=…) as span:
    span.set(n_tool_calls=3)
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Protocol, TypeAlias

Value: TypeAlias = str | int | float | bool


class Span(Protocol):
    """One open span; it ends with its block, and with an error where the block raises."""

    def set(self, **attributes: Value) -> None:
        """Adds attributes. May not block or raise."""
        ...

    def failed(self, reason: str) -> None:
        """Marks the span as failed, where a failure is a result and no exception. May not block or raise."""
        ...


class Tracer(Protocol):
    def span(self, name: str, **attributes: Value) -> AbstractContextManager[Span]:
        """A span inside the one that is open in this task. May not block or raise."""
        ...


class _Nothing:
    def set(self, **attributes: Value) -> None: ...

    def failed(self, reason: str) -> None: ...


_NOTHING: AbstractContextManager[Span] = nullcontext(_Nothing())


class NoTracer:
    """Measures nothing."""

    def span(self, name: str, **attributes: Value) -> AbstractContextManager[Span]:
        return _NOTHING
