"""Writes into the person's own files: checked before, atomic, and everything else in them kept, comments included.

`amended` says what a file would become, so that it can be shown before `write_file` writes it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kram.base import UsageError, atomic_write

from .checking import checked
from .keys import at, joined, merge, nested, split
from .load import FILE, read_toml
from .settings import Settings


def set_value(config_folder: Path, key: str, text: str) -> Path:
    """Sets a dotted key. Raises `UsageError` for an unknown key or a wrong type, and then writes nothing.

    `text` is a TOML value, or plain text for a string. A link is written through.
    """
    return set_values(config_folder, {key: _value(text)})


def set_values(config_folder: Path, changes: Mapping[str, Any]) -> Path:
    """Sets dotted keys to values (tables replace what was there, None takes a key away), all of them or none."""
    return write_file(config_folder, FILE, amended(config_folder, changes))


def amended(config_folder: Path, changes: Mapping[str, Any]) -> str:
    """The text of `config.toml` after these changes. Raises `UsageError` where the result would not be a configuration."""
    path = config_folder / FILE
    text, content = _kept(path)
    for key, value in changes.items():
        _change(content, split(key), value, key, path)
    content.setdefault("version", 1)
    checked(content, Settings, path)
    return edited(text, {"version": content["version"], **changes}, content, path)


def edited(text: str, changes: Mapping[str, Any], wanted: Mapping[str, Any], path: Path) -> str:
    """TOML text with dotted keys changed and the rest as it stands. `wanted` is what the result must hold.

    Raises `UsageError` where the text is laid out in a way that cannot be changed safely.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
        for key, value in changes.items():
            _put(document, split(key), value)
        result = tomlkit.dumps(document)
        same = tomllib.loads(result) == dict(wanted)
    except (TOMLKitError, tomllib.TOMLDecodeError, TypeError, ValueError, KeyError) as failure:
        raise UsageError(f"The file cannot be changed: {failure}", where=str(path), todo="Edit it by hand") from failure
    if not same:
        raise UsageError(
            "The file is laid out in a way that cannot be changed", where=str(path), todo="Edit it by hand"
        )
    return result


def write_file(config_folder: Path, name: str, text: str) -> Path:
    """Writes one of the person's files whole. Raises `UsageError`. Where it is a link, what it leads to is written."""
    path = config_folder / name
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        atomic_write(path.resolve(), text.encode(), mode=0o600)
    except OSError as failure:
        raise UsageError(f"Cannot write the configuration: {failure}", where=str(path)) from failure
    return path


def _kept(path: Path) -> tuple[str, dict[str, Any]]:
    if not path.exists():
        return "", {}
    content = read_toml(path)
    return path.read_text("utf-8"), content


def _change(content: dict[str, Any], parts: tuple[str, ...], value: Any, key: str, path: Path) -> None:
    """The same change on plain tables, which says what the text must hold afterwards."""
    *front, last = parts
    below = at(content, front) if front else content
    if below is not None and not isinstance(below, dict):
        raise UsageError(f"'{joined(front)}' in '{key}' is no table", where=str(path))
    if below is not None:
        below.pop(last, None)
    if value is not None:
        merge(content, nested(parts, value))


def _put(table: Any, parts: tuple[str, ...], value: Any) -> None:
    """Changes a document of tomlkit, whose tables act like dicts."""
    import tomlkit

    *front, last = parts
    for part in front:
        if part not in table:
            if value is None:
                return
            table.add(part, tomlkit.table(is_super_table=part != front[-1]))
        table = table[part]
    if value is None:
        table.pop(last, None)
    elif isinstance(table.get(last), tomlkit.items.AoT) and isinstance(value, list):
        table[last] = _rows(table[last], value)
    else:
        table[last] = value


def _rows(present: Any, wanted: list[Any]) -> Any:
    """An array of tables in which rows that stay keep their layout and comments."""
    import tomlkit

    rows = tomlkit.aot()
    for row in wanted:
        rows.append(next((one for one in present if one.unwrap() == row), None) or tomlkit.item(row))
    return rows


def _value(text: str) -> Any:
    try:
        found = tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError:
        return text
    return found["value"] if len(found) == 1 else text
