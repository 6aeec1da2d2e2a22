"""JSON shapes that mean calls: one call, a list of calls, the wrappers of vendors, a name as the only key."""

from __future__ import annotations

from typing import Any

from .values import NotACall, as_arguments

ARGUMENT_KEYS = ("arguments", "parameters", "input", "args")
Named = tuple[str, dict[str, Any]]


def calls_in(value: Any) -> list[Named]:
    """All calls a JSON value stands for, in order. Raises `NotACall` where it stands for none or one is broken."""
    if isinstance(value, list):
        if not value:
            raise NotACall("an empty list")
        return [call for item in value for call in calls_in(item)]
    if not isinstance(value, dict):
        raise NotACall("not an object")
    if isinstance(value.get("tool_calls"), list):
        return calls_in(value["tool_calls"])
    for wrapper in ("function_call", "tool_use", "function", "tool_call"):
        if isinstance(value.get(wrapper), dict):
            return calls_in(value[wrapper])
    return [_one(value)]


def _one(value: dict[str, Any]) -> Named:
    name = value.get("name", value.get("tool_name", value.get("tool")))
    given = [key for key in ARGUMENT_KEYS if key in value]
    if isinstance(name, str) and name and given:
        return name, as_arguments(value[given[0]])
    if len(value) == 1:
        (key, inner), *_ = value.items()
        if isinstance(inner, dict) and key not in (*ARGUMENT_KEYS, "name"):
            return key, inner
    raise NotACall("an object without a name and arguments")
