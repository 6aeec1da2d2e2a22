"""Reading fields out of somebody's JSON: the value with the type that is wanted, or a `Problem` that names the place."""

from __future__ import annotations

from typing import Any

from kram.base import Json

from .problems import Problem

_KINDS = {
    str: "a string",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    list: "a list",
    dict: "an object",
}


def wrong(param: str, wanted: str, found: Any) -> Problem:
    """The complaint about one field."""
    return Problem(f"{param}: {wanted} is wanted, not {_named(found)}", param=param)


def text(found: Any, param: str) -> str:
    if not isinstance(found, str):
        raise wrong(param, "a string", found)
    return found


def flag(found: Any, param: str) -> bool:
    if not isinstance(found, bool):
        raise wrong(param, "true or false", found)
    return found


def whole(found: Any, param: str, low: int, high: int = 2**63 - 1) -> int:
    if isinstance(found, bool) or not isinstance(found, int) or not low <= found <= high:
        raise wrong(param, f"a whole number from {low}", found)
    return found


def number(found: Any, param: str, low: float, high: float) -> float:
    if isinstance(found, bool) or not isinstance(found, int | float) or not low <= found <= high:
        raise wrong(param, f"a number from {low:g} to {high:g}", found)
    return float(found)


def items(found: Any, param: str) -> list[Any]:
    if not isinstance(found, list):
        raise wrong(param, "a list", found)
    return found


def table(found: Any, param: str) -> Json:
    if not isinstance(found, dict):
        raise wrong(param, "an object", found)
    return found


def _named(found: Any) -> str:
    if found is None:
        return "null"
    if isinstance(found, str | int | float) and not isinstance(found, bool):
        shown = repr(found)
        return shown if len(shown) <= 40 else f"{shown[:39]}…"
    return _KINDS.get(type(found), type(found).__name__)
