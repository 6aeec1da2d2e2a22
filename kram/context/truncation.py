"""Whether a server cut a prompt and said nothing: what was counted against what it reports.

A local server that is given more than its window often drops the beginning and answers from the rest. Two signs:

- it reports far fewer tokens than were sent, beyond what an estimate can be wrong by;
- its figure stands still while what is sent grows.
"""

from __future__ import annotations

from kram.base import Data

MIN_TOKENS = 900
"""Below that an estimate may be off by more than the rule allows, and no window is that small: a server that reports fewer
counts something else, for instance only what was not in its cache."""
CLEARLY_LESS = 0.6
GREW = 1.25
STOOD_STILL = 1.02


class Seen(Data):
    """One request to one model: tokens by our count and by the server's; `plain`: by a count that never learns, so that two
    requests can be compared."""

    counted: int
    reported: int
    plain: int


def is_cut(now: Seen, before: Seen | None = None) -> bool:
    """`before`: the request of the same session for which the server reported most."""
    if now.reported < MIN_TOKENS or now.counted < MIN_TOKENS:
        return False
    if implausible(now):
        return True
    return before is not None and _stands_still(now, before)


def implausible(now: Seen) -> bool:
    """Far fewer than were sent, whatever the reason."""
    return now.reported < CLEARLY_LESS * now.counted and now.counted >= MIN_TOKENS


def _stands_still(now: Seen, before: Seen) -> bool:
    grew = now.plain >= GREW * before.plain and before.plain >= MIN_TOKENS
    return grew and now.reported <= STOOD_STILL * before.reported
