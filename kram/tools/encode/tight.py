"""The tight form: as few characters as a model can still read without doubt, keys in the order they came.

Tables are `[N]a,b` and a row a line, flat objects `k:v,k:v`, everything else one block a key. A string is quoted only where
it could be taken for something else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from .tables import Number, Row, is_scalar

_LOOKS_LIKE = re.compile(r"(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\Z")
_NEEDS_QUOTES = re.compile(r"[\s,|\"]")


def to_tight(value: Any) -> str:
    """A bare string of several lines is given as it is."""
    if isinstance(value, str) and not isinstance(value, Number) and "\n" in value:
        return value
    if _flat_table(value):
        return "\n".join(_table(value))
    if isinstance(value, dict) and value and not all(map(_inline, value.values())):
        return _blocks(value)
    return _top(value)


def _top(value: Any) -> str:
    """A value on one line. An object stands without its braces here."""
    if isinstance(value, dict) and value:
        return ",".join(f"{_key(key)}:{_loose(one)}" for key, one in value.items())
    return _loose(value)


def _inline(value: Any) -> bool:
    """Whether a value fits behind its key without a block of its own."""
    return is_scalar(value) or not value or (isinstance(value, list) and all(map(is_scalar, value)))


def _blocks(value: dict[str, Any]) -> str:
    """One line a key, or a table under it; a blank line behind what takes several."""
    lines: list[str] = []
    for place, (key, one) in enumerate(value.items()):
        if _flat_table(one):
            lines += [_key(key), *_table(one)]
            if place < len(value) - 1:
                lines.append("")
        else:
            lines.append(f"{_key(key)}:{_loose(one)}")
    return "\n".join(lines)


def _flat_table(value: Any) -> bool:
    """Objects with the same keys in the same order, and nothing but scalars in them."""
    if not isinstance(value, list) or not value or not all(isinstance(row, dict) and row for row in value):
        return False
    keys = list(value[0])
    return all(list(row) == keys and all(map(is_scalar, row.values())) for row in value)


def _table(rows: Sequence[Row]) -> list[str]:
    columns = list(rows[0])
    head = f"[{len(rows)}]{','.join(map(_key, columns))}"
    return [head, *(",".join(_scalar(row[column]) for column in columns) for row in rows)]


def _loose(value: Any) -> str:
    """JSON without the quotes nobody needs."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{_key(key)}:{_loose(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_loose, value)) + "]"
    return _scalar(value)


def _scalar(value: Any) -> str:
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, str):
        return _quoted(value) if _doubtful(value) else value
    return json.dumps(value)


def _key(key: str) -> str:
    return _quoted(key) if _doubtful(key) or ":" in key else key


def _doubtful(text: str) -> bool:
    return not text or text[0] in "[{" or bool(_NEEDS_QUOTES.search(text)) or bool(_LOOKS_LIKE.match(text))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
