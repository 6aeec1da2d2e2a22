"""Writes one value into the person's `config.toml`: checked before, atomic, everything else in it kept."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import tomli_w

from kram.base import UsageError, atomic_write

from .load import FILE, checked, read_toml
from .settings import Settings


def set_value(config_folder: Path, key: str, text: str) -> Path:
    """Sets a dotted key. Raises `UsageError` for an unknown key or a wrong type, and then writes nothing.

    Comments of the file are lost, so a file with comments is left to the person.
    """
    path = config_folder / FILE
    if path.exists() and any(line.lstrip().startswith("#") for line in path.read_text("utf-8").splitlines()):
        raise UsageError("The file has comments, which a rewrite would lose", where=str(path), todo="Edit it by hand")
    content = read_toml(path) if path.exists() else {}
    *front, last = key.split(".")
    table: dict[str, Any] = content
    for step in front:
        table = table.setdefault(step, {})
        if not isinstance(table, dict):
            raise UsageError(f"'{step}' in '{key}' is no table", where=str(path))
    table[last] = _value(text)
    checked(content, Settings, path)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    atomic_write(path, tomli_w.dumps(content).encode(), mode=0o600)
    return path


def _value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
