"""Plain tables for the terminal and for pipes: columns as wide as their content, control characters made visible."""

from __future__ import annotations

from collections.abc import Sequence

from kram.base import one_line

MAX_CELL = 60


def print_table(rows: Sequence[Sequence[str]], *, head: Sequence[str] = ()) -> None:
    """Prints rows; the last column is not padded."""
    cleaned = [[one_line(cell, MAX_CELL) for cell in row] for row in ([head] if head else []) + list(rows)]
    if not cleaned:
        return
    widths = [max(len(row[column]) for row in cleaned) for column in range(len(cleaned[0]))]
    for row in cleaned:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        print("  ".join(cells).rstrip())
