"""Path patterns of rules: globs relative to the project, absolute, or below the home folder.

`**` crosses folders, `*` and `?` do not; a pattern without `/` fits a name at any depth; `src/` is all below `src`.
"""

from __future__ import annotations

import re
from functools import lru_cache

from kram.base import Target

from .paths import folded

_PIECES = re.compile(r"(\*\*/|\*\*|\*|\?)")
_AS_REGEX = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def path_fits(target: Target, pattern: str, home: str, *, wide: bool) -> bool:
    """`wide` (deny, ask) compares without case; narrow (allow) takes names as they are written."""
    if pattern == "~" or pattern.startswith("~/"):
        pattern = home + pattern[1:]
    pattern = pattern + "**" if pattern.endswith("/") else pattern
    if pattern.startswith("/"):
        return _matches(pattern, target.real, wide)
    if not target.root:
        return False
    inside = target.real[len(target.root) :].lstrip("/")
    pattern = pattern.removeprefix("./")
    return _matches(pattern if "/" in pattern else f"**/{pattern}", inside, wide)


def _matches(pattern: str, path: str, wide: bool) -> bool:
    # A folder pattern such as src/** names the folder itself too.
    whole = pattern[:-3] if pattern.endswith("/**") else None
    if wide:
        pattern, path, whole = folded(pattern), folded(path), folded(whole) if whole is not None else None
    return _regex(pattern).fullmatch(path) is not None or (
        whole is not None and _regex(whole).fullmatch(path) is not None
    )


@lru_cache(maxsize=4096)
def _regex(pattern: str) -> re.Pattern[str]:
    return re.compile("".join(_AS_REGEX.get(piece, re.escape(piece)) for piece in _PIECES.split(pattern)), re.DOTALL)
