"""How long a server asks us to wait: in headers (`Retry-After` by RFC 9110, `retry-after-ms`) or inside an error body
(Google's `RetryInfo`, a number of seconds, "try again in 7m12s").

Pure: the present is passed in. Whatever cannot be read is None, so that the caller keeps its own backoff.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import Any

MAX_WAIT_S = 300.0
"""Longer wishes are cut to this; who waits decides whether even that is too long."""

_MILLISECONDS = ("retry-after-ms", "x-ms-retry-after-ms")
"""OpenAI's and Azure's; Azure's older one."""

_IN_WORDS = re.compile(
    r"(?:try|retry)(?: your request)? (?:again )?(?:in|after) ((?:\d+(?:\.\d+)?\s*(?:ms|h|m|s|seconds?|minutes?)\s*)+)",
    re.I,
)
_PIECE = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|h|m|s)", re.I)
_UNIT_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def from_headers(headers: Mapping[str, str], now_s: float) -> float | None:
    """Seconds to wait, 0 for a date in the past, at most `MAX_WAIT_S`. `headers` has lower-case names; `now_s` is wall time.

    The finer header in milliseconds wins. A date is measured against the server's own clock where it sent one.
    """
    for name in _MILLISECONDS:
        if (milliseconds := _number(headers.get(name, ""))) is not None:
            return _capped(milliseconds / 1000)
    text = headers.get("retry-after", "").strip()
    if (seconds := _number(text)) is not None:
        return _capped(seconds)
    at_s = _date(text)
    if at_s is None:
        return None
    server_now_s = _date(headers.get("date", ""))
    return _capped(max(0.0, at_s - (now_s if server_now_s is None else server_now_s)))


def from_body(body: Any) -> float | None:
    """Seconds to wait as an error body says it, at most `MAX_WAIT_S`."""
    for part in _dicts(body, depth=4):
        delay = part.get("retryDelay")
        if isinstance(delay, str) and (seconds := _in_words(delay)) is not None:
            return _capped(seconds)
        for key in ("retry_after", "retry_after_seconds"):
            number = part.get(key)
            if isinstance(number, int | float) and not isinstance(number, bool) and 0 <= number < math.inf:
                return _capped(float(number))
    for part in _dicts(body, depth=4):
        message = part.get("message")
        if isinstance(message, str) and (found := _IN_WORDS.search(message[:2000])):
            return _capped(_in_words(found[1]))
    return None


def _number(text: str) -> float | None:
    """A plain number that is not negative."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _date(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def _in_words(text: str) -> float | None:
    pieces = _PIECE.findall(text)
    return sum(float(number) * _UNIT_S[unit.lower()] for number, unit in pieces) if pieces else None


def _capped(seconds: float | None) -> float | None:
    return None if seconds is None else min(seconds, MAX_WAIT_S)


def _dicts(value: Any, depth: int) -> Iterator[dict[str, Any]]:
    """Every object inside, the outermost first, not deeper than `depth`."""
    if depth < 0:
        return
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        if isinstance(inner, dict | list):
            yield from _dicts(inner, depth - 1)
