"""Unified diffs, bounded."""

from __future__ import annotations

import difflib

MAX_LINES = 20_000


def unified(old: str, new: str, path: str) -> str:
    """A unified diff with `a/` and `b/` names, "" for equal texts. Huge inputs are not compared line by line but named."""
    if old == new:
        return ""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    if len(before) + len(after) > MAX_LINES:
        return f"--- a/{path}\n+++ b/{path}\n@@ {len(before)} lines before, {len(after)} after: too large to show @@\n"
    rows: list[str] = []
    for row in difflib.unified_diff(before, after, f"a/{path}", f"b/{path}"):
        rows.append(row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n")
    return "".join(rows)


def counts(diff: str) -> tuple[int, int]:
    """Added and removed lines of a unified diff."""
    rows = [row for row in diff.splitlines() if not row.startswith(("+++", "---"))]
    return sum(row.startswith("+") for row in rows), sum(row.startswith("-") for row in rows)
