"""A tool's result that takes back what it had announced: `{"clear": true, "group_by": "file", "key": "a.py"}`."""

from __future__ import annotations

import json

from kram.base import Data


class Clear(Data):
    group: str
    key: str


def clear_of(result: str) -> Clear | None:
    """What a result wants taken back, None for every other result."""
    if not result.startswith("{"):
        return None
    try:
        value = json.loads(result)
    except ValueError:
        return None
    group, key = value.get("group_by"), value.get("key")
    if value.get("clear") is not True or not isinstance(group, str) or not isinstance(key, str) or not group or not key:
        return None
    return Clear(group=group, key=key)
