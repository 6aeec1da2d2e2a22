"""Dotted keys as TOML writes them: `providers.openai.models."gpt-4.1".images`. A part that is no bare word is quoted."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def joined(parts: Sequence[str]) -> str:
    return ".".join(part if _BARE.fullmatch(part) else json.dumps(part, ensure_ascii=False) for part in parts)


def split(key: str) -> tuple[str, ...]:
    """The parts of a dotted key. Text that is no TOML key is cut at its dots."""
    try:
        value: Any = tomllib.loads(f"{key} = 0")
    except tomllib.TOMLDecodeError:
        return tuple(key.split("."))
    parts = []
    while isinstance(value, dict):
        ((part, value),) = value.items()
        parts.append(part)
    return tuple(parts)


def leaves(value: Mapping[str, Any], front: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every value that is not a table, with its path; an empty table counts as a value."""
    for key, inner in value.items():
        if isinstance(inner, Mapping) and inner:
            yield from leaves(inner, (*front, key))
        else:
            yield (*front, key), inner


def nested(path: Sequence[str], value: Any) -> dict[str, Any]:
    """A table that holds just that value."""
    for part in reversed(path):
        value = {part: value}
    return dict(value)


def at(value: Any, path: Sequence[str]) -> Any:
    """What lies at a path, None where there is nothing."""
    for part in path:
        if not isinstance(value, Mapping) or part not in value:
            return None
        value = value[part]
    return value


def merge(into: dict[str, Any], layer: Mapping[str, Any]) -> None:
    """Lays a layer over what is there: tables are merged, everything else is replaced."""
    for key, value in layer.items():
        if isinstance(value, Mapping):
            table = into.get(key)
            into[key] = table = dict(table) if isinstance(table, Mapping) else {}
            merge(table, value)
        else:
            into[key] = value
