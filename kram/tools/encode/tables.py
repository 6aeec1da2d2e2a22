"""What the table encodings share: reading JSON with numbers as they were written, and finding the arrays that are tables."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Row: TypeAlias = Mapping[str, Any]


class Number(str):
    """A number as it stood in the text: no digit of it is lost."""


def read(text: str) -> tuple[bool, Any]:
    """Whether the text is JSON and nothing else, and its value. Numbers stay as they were written."""
    try:
        return True, json.loads(text, parse_int=Number, parse_float=Number, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return False, None


def _refuse(name: str) -> Any:
    raise ValueError(name)


def compact(value: Any) -> str:
    """Compact JSON with numbers as they were written."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, dict):
        return (
            "{" + ",".join(f"{json.dumps(key, ensure_ascii=False)}:{compact(one)}" for key, one in value.items()) + "}"
        )
    if isinstance(value, list):
        return "[" + ",".join(map(compact, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def is_table(value: Any) -> bool:
    """A list of objects that all have the same keys, in whatever order."""
    if not isinstance(value, list) or not value or not all(isinstance(row, dict) and row for row in value):
        return False
    keys = set(value[0])
    return all(set(row) == keys for row in value)


def is_scalar(value: Any) -> bool:
    return not isinstance(value, dict | list)


def table_with_scalars(value: Any) -> tuple[dict[str, Any], str, Sequence[Row]] | None:
    """An object of scalars and exactly one table: the scalars, the table's key, its rows; None for any other value."""
    if not isinstance(value, dict):
        return None
    tables = [key for key, one in value.items() if is_table(one)]
    scalars = {key: one for key, one in value.items() if is_scalar(one)}
    if len(tables) != 1 or len(scalars) != len(value) - 1:
        return None
    return scalars, tables[0], value[tables[0]]
