"""Tables under a header, `[N]{a,b}:` and a row a line; whatever is no table is YAML. And the same inside JSON that stays JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .tables import Row, compact, is_table, table_with_scalars
from .yaml_form import to_yaml


def to_toon(value: Any) -> str:
    if is_table(value):
        return "\n".join(_table(value))
    found = table_with_scalars(value)
    if found is None:
        return to_yaml(value)
    scalars, key, rows = found
    head, *body = _table(rows)
    return "\n".join([*(f"{name}: {_plain(scalars[name])}" for name in sorted(scalars)), f"{key}{head}", *body])


def to_json_toon(value: Any) -> str:
    """JSON in which every table, at any depth, is one string."""
    return compact(_inline(value))


def _inline(value: Any) -> Any:
    if is_table(value):
        head, *rows = _table(value)
        return f"{head} {' | '.join(rows)}"
    if isinstance(value, dict):
        return {key: _inline(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_inline(one) for one in value]
    return value


def _table(rows: Sequence[Row]) -> list[str]:
    columns = sorted(rows[0])
    head = f"[{len(rows)}]{{{','.join(columns)}}}:"
    return [head, *(",".join(_plain(row[column]) for column in columns) for row in rows)]


def _plain(value: Any) -> str:
    """A cell: strings as they are, everything else as compact JSON."""
    return value if isinstance(value, str) else compact(value)
