"""Results that come later: a tool answers that its work is pending, the model is told so, and the real result follows under
the same call.

    {"pending": true, "correlation_id": "…", "ttl_s": 30}
"""

from __future__ import annotations

import json

from kram.base import Data


class Lift(Data):
    """A result that was promised. `ttl_s` 0: without a deadline."""

    correlation_id: str
    ttl_s: float = 0.0


def lift_of(result: str) -> Lift | None:
    """The promise a result makes, None for every other result."""
    if not result.startswith("{"):
        return None
    try:
        value = json.loads(result)
    except ValueError:
        return None
    name = value.get("correlation_id")
    if value.get("pending") is not True or not isinstance(name, str) or not name:
        return None
    ttl = value.get("ttl_s")
    return Lift(
        correlation_id=name, ttl_s=float(ttl) if isinstance(ttl, int | float) and not isinstance(ttl, bool) else 0.0
    )


def pending_text(lift: Lift, call_id: str) -> str:
    """What the model reads in place of the promise."""
    deadline = f" It is due within {lift.ttl_s:g}s." if lift.ttl_s > 0 else ""
    return (
        f"This call is pending: correlation_id={lift.correlation_id} tool_call_id={call_id}.{deadline} Its real result will "
        "come later as a message of its own. Do not call it again for that; go on with something else or end your turn."
    )
