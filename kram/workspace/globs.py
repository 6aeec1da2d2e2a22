"""Globs with `**`, `*`, `?`, `[…]` and `{a,b}`, matched against paths with `/`."""

from __future__ import annotations

import re
from functools import lru_cache


@lru_cache(maxsize=256)
def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern without `/` matches a name at any depth; `**/` also matches nothing."""
    if "/" not in pattern:
        pattern = f"**/{pattern}"
    return re.compile(_regex(pattern.removeprefix("./")) + r"\Z", re.DOTALL)


def matches(path: str, pattern: str) -> bool:
    return compiled(pattern).match(path) is not None


def _regex(pattern: str) -> str:
    out, index = "", 0
    while index < len(pattern):
        char = pattern[index]
        if pattern.startswith("**/", index):
            out += r"(?:.*/)?"
            index += 3
            continue
        if pattern.startswith("**", index):
            out += ".*"
            index += 2
            continue
        if char == "*":
            out += "[^/]*"
        elif char == "?":
            out += "[^/]"
        elif char == "[" and (end := pattern.find("]", index + 2)) > 0:
            inside = pattern[index + 1 : end].replace("\\", r"\\")
            out += "[" + ("^" + inside[1:] if inside.startswith("!") else inside) + "]"
            index = end
        elif char == "{" and (end := pattern.find("}", index)) > 0:
            out += "(?:" + "|".join(_regex(part) for part in pattern[index + 1 : end].split(",")) + ")"
            index = end
        else:
            out += re.escape(char)
        index += 1
    return out
