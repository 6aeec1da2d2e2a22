"""CSV with a header row; scalars beside the table stand above it as `# key=value`. Other shapes stay JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

from .tables import Row, compact, is_table, table_with_scalars


def to_csv(value: Any, raw: str) -> str:
    """`raw` is given back for a value that is no table."""
    if is_table(value):
        return _table(value)
    found = table_with_scalars(value)
    if found is None:
        return raw
    scalars, _, rows = found
    return "\n".join([*(f"# {name}={_cell(scalars[name])}" for name in sorted(scalars)), _table(rows)])


def _table(rows: Sequence[Row]) -> str:
    columns = sorted(rows[0])
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(row[column]) for column in columns] for row in rows)
    return out.getvalue().removesuffix("\n")


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else compact(value)
