"""Reads configuration in layers: defaults, the person's file, the file of `--config`. Each value remembers its layer.

A project's own `.kram/config.toml` takes no part until projects can be trusted; what it could do is said in `notes`.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from kram.base import Data, UsageError

from .settings import Settings

FILE = "config.toml"


class LoadedSettings(Data):
    """The merged settings, where each given value came from (dotted key -> file), and what the person should know."""

    settings: Settings
    origins: dict[str, str]
    notes: tuple[str, ...] = ()

    def rows(self) -> Iterator[tuple[str, str, str]]:
        """Every value as key, text and origin."""
        for key, value in flat(msgspec.to_builtins(self.settings)):
            yield key, _shown(value), self.origins.get(key, "default")

    def value(self, key: str) -> tuple[Any, str]:
        """A value and its origin; raises `UsageError` with the closest key for one that does not exist."""
        values = dict(flat(msgspec.to_builtins(self.settings)))
        if key not in values:
            raise UsageError(f"There is no setting '{key}'", todo=_closest(key, list(values)))
        return values[key], self.origins.get(key, "default")


def load_settings(config_folder: Path, workspace: Path, *, extra_file: str = "") -> LoadedSettings:
    """Raises `UsageError` naming file, key and the closest known key. Only `extra_file` has to be there."""
    merged: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for path, needed in ((config_folder / FILE, False), (Path(extra_file).expanduser() if extra_file else None, True)):
        if path is None or (not needed and not path.exists()):
            continue
        layer = read_toml(path)
        checked(layer, Settings, path)
        _merge(merged, layer)
        origins.update((key, str(path)) for key, _ in flat(layer))
    notes = []
    if (workspace / ".kram" / FILE).exists():
        notes.append(f"{workspace / '.kram' / FILE} is not used: projects cannot set configuration yet.")
    settings = checked(merged, Settings, config_folder / FILE)
    return LoadedSettings(settings=settings, origins=origins, notes=tuple(notes))


def read_toml(path: Path) -> dict[str, Any]:
    """Raises `UsageError` with the line for a file that is no TOML."""
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as failure:
        raise UsageError(f"Cannot read the configuration: {failure}", where=str(path)) from failure
    except tomllib.TOMLDecodeError as failure:
        raise UsageError(f"Not valid TOML: {failure}", where=str(path), todo="Mend that line") from failure


def checked(value: Mapping[str, Any], kind: type[Settings], path: Path) -> Settings:
    """The typed value. An unknown key is named with the closest one that exists there."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as failure:
        text = str(failure)
        found = re.search(r"unknown field `(.+?)`(?: - at `\$\.?(.*?)`)?$", text)
        if not found:
            raise UsageError(f"Wrong value: {text.replace('`$.', '`')}", where=str(path)) from failure
        key, inside = found[1], found[2] or ""
        full = f"{inside}.{key}" if inside else key
        raise UsageError(
            f"Unknown key '{full}'", where=str(path), todo=_closest(key, _known(kind, inside))
        ) from failure


def _known(kind: type[Any], inside: str) -> list[str]:
    """The keys that exist at a path like `providers[...].models[...]`."""
    info: Any = msgspec.inspect.type_info(kind)
    for step in filter(None, re.split(r"[.\[\]]+", inside)):
        info = _inner(info)
        info = next((field.type for field in info.fields if field.encode_name == step), info)
    info = _inner(info)
    return [field.encode_name for field in info.fields] if isinstance(info, msgspec.inspect.StructType) else []


def _inner(info: Any) -> Any:
    """The struct inside tables of structs and optional values."""
    while isinstance(info, msgspec.inspect.DictType):
        info = info.value_type
    if isinstance(info, msgspec.inspect.UnionType):
        info = next((one for one in info.types if isinstance(one, msgspec.inspect.StructType)), info)
    return info


def _closest(key: str, known: list[str]) -> str:
    near = difflib.get_close_matches(key, known, n=1, cutoff=0.3)
    return f"Did you mean '{near[0]}'?" if near else f"Known keys: {', '.join(sorted(known))}"


def _merge(into: dict[str, Any], layer: Mapping[str, Any]) -> None:
    for key, value in layer.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            _merge(into[key], value)
        else:
            into[key] = value


def flat(value: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted keys and their values."""
    for key, inner in value.items():
        if isinstance(inner, Mapping) and inner:
            yield from flat(inner, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", inner


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
