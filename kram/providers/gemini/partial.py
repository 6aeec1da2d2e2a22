"""Arguments that arrive in pieces (`streamFunctionCallArguments`): values named by a JSON path, strings in fragments.
Format: the Gemini API reference, "PartialArg"; paths are the plain subset of RFC 9535 (names and indices).
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from kram.base import Json, JsonView

_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\[\"((?:[^\"\\]|\\.)*)\"\]")
_MAX_INDEX = 10_000
_VALUES = ("stringValue", "numberValue", "boolValue")


class PartialArguments:
    """Collects the pieces of one call; `value` is what they add up to so far."""

    def __init__(self, args: JsonView | None = None) -> None:
        self.value: Json = dict(args or {})

    def add(self, pieces: Any) -> None:
        """Takes the `partialArgs` of one event; pieces without a usable path are left out."""
        for piece in pieces if isinstance(pieces, list) else ():
            if isinstance(piece, dict) and (steps := _steps(str(piece.get("jsonPath") or ""))):
                self._put(steps, piece)

    def _put(self, steps: list[str | int], piece: Json) -> None:
        holder: Any = self.value
        for step, following in pairwise(steps):
            inner = _get(holder, step)
            if not isinstance(inner, dict | list):
                inner = [] if isinstance(following, int) else {}
                _set(holder, step, inner)
            holder = inner
        last = steps[-1]
        if "nullValue" in piece:
            _set(holder, last, None)
        for field in _VALUES:
            if field in piece:
                before = _get(holder, last)
                value = piece[field]
                joined = before + value if isinstance(before, str) and isinstance(value, str) else value
                _set(holder, last, _whole(joined))


def _steps(path: str) -> list[str | int]:
    if not path.startswith("$"):
        return []
    steps: list[str | int] = []
    at = 1
    while at < len(path):
        found = _STEP.match(path, at)
        if found is None:
            return []
        name, index, quoted, double = found.groups()
        steps.append(
            int(index) if index is not None else next(one for one in (name, quoted, double) if one is not None)
        )
        at = found.end()
    return steps


def _get(holder: Any, step: str | int) -> Any:
    if isinstance(holder, dict):
        return holder.get(str(step))
    if isinstance(holder, list) and isinstance(step, int) and step < len(holder):
        return holder[step]
    return None


def _set(holder: Any, step: str | int, value: Any) -> None:
    if isinstance(holder, dict):
        holder[str(step)] = value
    elif isinstance(holder, list) and isinstance(step, int) and step <= _MAX_INDEX:
        holder.extend([None] * (step + 1 - len(holder)))
        holder[step] = value


def _whole(value: Any) -> Any:
    """Numbers travel as floating point; a whole one is meant as an integer."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
