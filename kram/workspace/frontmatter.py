"""YAML front matter of a Markdown file: `---`, a mapping, `---`, and the text behind it."""

from __future__ import annotations

import re
from typing import Any

MAX_CHARS = 65_536
_SPLIT = re.compile(r"\A---[ \t]*\n(?P<head>.*?)(?:^|\n)---[ \t]*(?:\n|\Z)(?P<body>.*)\Z", re.DOTALL)
_PLAIN = re.compile(r"^(?P<key>[A-Za-z][\w-]*): +(?P<value>[^\s\"'|>\[{&*!%@`#][^\n]*)$", re.MULTILINE)


class BadFrontmatter(Exception):
    """What is wrong with it, with the line."""


def split_frontmatter(text: str) -> tuple[dict[str, Any], str]:
    """The mapping ({} where there is none) and the body. Raises `BadFrontmatter`.

    Values with a colon in them that are not quoted are read all the same: people write them, and other agents take them.
    """
    found = _SPLIT.match(text)
    if found is None:
        return {}, text
    head = found["head"]
    if len(head) > MAX_CHARS:
        raise BadFrontmatter(f"its front matter is longer than {MAX_CHARS} characters")
    try:
        value = _loaded(head)
    except BadFrontmatter as failure:
        quoted = _PLAIN.sub(lambda match: f"{match['key']}: {_quoted(match['value'])}", head)
        if "mapping values" not in str(failure) or quoted == head:
            raise
        value = _loaded(quoted)
    if not isinstance(value, dict):
        raise BadFrontmatter("its front matter is no mapping of keys to values")
    return {str(key): one for key, one in value.items()}, found["body"]


def _loaded(head: str) -> Any:
    import yaml

    try:
        return yaml.safe_load(head) or {}
    except (yaml.YAMLError, ValueError, RecursionError) as failure:
        mark = getattr(failure, "problem_mark", None)
        where = f" (line {mark.line + 2})" if mark is not None else ""
        raise BadFrontmatter(f"{getattr(failure, 'problem', None) or failure}{where}") from failure


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
