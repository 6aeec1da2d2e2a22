"""Writes one value into the person's `config.toml`: checked before, atomic, everything else in it kept."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import tomli_w

from kram.base import UsageError, atomic_write

from .checking import checked
from .keys import at, merge, nested, split
from .load import FILE, read_toml
from .settings import Settings

_STRINGS = re.compile(
    r'"""(?:\\.|[^\\])*?"""' r"|'''.*?'''" r'|"(?:\\.|[^"\\\n])*"' r"|'[^'\n]*'",
    re.DOTALL,
)


def set_value(config_folder: Path, key: str, text: str) -> Path:
    """Sets a dotted key. Raises `UsageError` for an unknown key or a wrong type, and then writes nothing.

    `text` is a TOML value, or plain text for a string. Comments of the file would be lost, so a file with comments is left
    to the person. A link is written through.
    """
    path = config_folder / FILE
    content = _kept(path)
    *front, _ = parts = split(key)
    if not isinstance(at(content, front) or {}, dict):
        raise UsageError(f"'{'.'.join(front)}' in '{key}' is no table", where=str(path))
    merge(content, nested(parts, _value(text)))
    checked(content, Settings, path)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    target = path.resolve()
    try:
        atomic_write(target, tomli_w.dumps({"version": 1, **content}).encode(), mode=0o600)
    except OSError as failure:
        raise UsageError(f"Cannot write the configuration: {failure}", where=str(path)) from failure
    return path


def _kept(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    content = read_toml(path)
    if "#" in _STRINGS.sub("", path.read_text("utf-8")):
        raise UsageError("The file has comments, which a rewrite would lose", where=str(path), todo="Edit it by hand")
    return content


def _value(text: str) -> Any:
    try:
        found = tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError:
        return text
    return found["value"] if len(found) == 1 else text
