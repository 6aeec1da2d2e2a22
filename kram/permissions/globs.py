"""Path patterns of rules: globs relative to the project, absolute, or below the home folder."""

from __future__ import annotations

import re
from pathlib import Path

from kram.base import Target

from .paths import folded


def path_fits(target: Target, pattern: str) -> bool:
    """`**` crosses folders, `*` does not; a pattern without `/` fits a name at any depth."""
    if pattern.startswith("~"):
        pattern = str(Path(pattern).expanduser())
    if pattern.startswith("/"):
        return _regex(pattern).fullmatch(folded(target.real)) is not None
    if not target.root:
        return False
    inside = folded(target.real)[len(folded(target.root)) :].lstrip("/")
    pattern = pattern.removeprefix("./")
    if "/" not in pattern:
        pattern = f"**/{pattern}"
    return _regex(pattern).fullmatch(inside) is not None


def _regex(pattern: str) -> re.Pattern[str]:
    out = ""
    for piece in re.split(r"(\*\*/|\*\*|\*|\?)", folded(pattern)):
        out += {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}.get(piece, re.escape(piece))
    return re.compile(out, re.DOTALL)
