"""Entries and events as JSON and back (msgspec). Unknown fields of a newer version are ignored on reading."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

T = TypeVar("T")


def to_json(value: object) -> bytes:
    """Compact UTF-8 JSON."""
    return msgspec.json.encode(value)


def from_json(data: bytes | str, kind: type[T]) -> T:
    """Decode strictly by type; raises `msgspec.ValidationError` naming the path of what is wrong."""
    return msgspec.json.decode(data, type=kind)


def to_plain(value: object) -> Any:
    """Plain dicts and lists, ready for any JSON or TOML writer."""
    return msgspec.to_builtins(value)
