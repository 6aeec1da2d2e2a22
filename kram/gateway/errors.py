"""Failures of the gateway.

KramError
└── GatewayError
    ├── NoCandidate    nothing in the combo can take this request              (exit 4)
    └── AllFailed      every candidate failed before it said anything; `overflow` where the window was too small for one
"""

from __future__ import annotations

from collections.abc import Sequence

from kram.base import KramError
from kram.messages import Attempt, Ranked
from kram.providers import ContextOverflow, ProviderError

LONG_WAIT_S = 10.0
"""From here on a person wants to know how long a provider asked to be left alone."""


class GatewayError(KramError):
    """No answer could be had."""


class NoCandidate(GatewayError):
    exit_code = 4

    def __init__(self, combo: str, left_out: Sequence[Ranked]) -> None:
        reasons = "; ".join(f"{one.candidate}: {', '.join(one.reasons)}" for one in left_out)
        super().__init__(
            f"No model of combo '{combo}' can take this request" + (f" — {reasons}" if reasons else ""),
            todo="Run `kram models` to see what is usable and why not",
        )


class AllFailed(GatewayError):
    def __init__(self, combo: str, attempts: Sequence[Attempt], failures: Sequence[ProviderError]) -> None:
        self.attempts = tuple(attempts)
        self.failures = tuple(failures)
        self.overflow = any(isinstance(failure, ContextOverflow) for failure in failures)
        last = failures[-1]
        tries = "one attempt" if len(attempts) == 1 else f"{len(attempts)} attempts"
        asks = f" (it asks to wait {last.retry_after_s:.0f} s)" if (last.retry_after_s or 0.0) >= LONG_WAIT_S else ""
        super().__init__(
            f"No answer from combo '{combo}' after {tries}: {last.what}{asks}", where=last.where, todo=last.todo
        )
        unusable = all(failure.kind in ("auth", "model_missing") for failure in failures)
        self.exit_code = 4 if unusable else 1
