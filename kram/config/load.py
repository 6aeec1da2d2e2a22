"""Reads configuration in layers. Each value remembers the layer it came from.

    built-in defaults < your config.toml < a trusted project's .kram/config.toml < the file of --config < environment < flags

A project's file takes no part until the person trusted that project, and then only where `scope` lets it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from kram.base import Data, UsageError, read_bytes

from .checking import checked, closest
from .keys import at, joined, leaves, merge, nested, split
from .scope import narrowed
from .settings import Settings
from .trust import TrustStore

FILE = "config.toml"
MAX_BYTES = 1_000_000

ENVIRONMENT = {
    "KRAM_MODEL": "default_combo",
    "KRAM_THEME": "theme",
    "KRAM_PERMISSION_MODE": "permissions.default_mode",
}


class LoadedSettings(Data):
    """The merged settings, where each given value came from (dotted key -> layer), and what the person should know."""

    settings: Settings
    origins: dict[str, str]
    notes: tuple[str, ...] = ()

    def rows(self) -> Iterator[tuple[str, str, str]]:
        """Every value as key, text and origin."""
        for path, value in leaves(msgspec.to_builtins(self.settings)):
            if value is None:
                continue
            yield joined(path), _shown(value), self.origins.get(joined(path), "default")

    def value(self, key: str) -> tuple[Any, str]:
        """A value, or a table of them, and the layers it came from. Raises `UsageError` with the closest key there is."""
        path = split(key)
        everything = msgspec.to_builtins(self.settings)
        found = at(everything, path)
        if found is None:
            raise UsageError(
                f"There is no setting '{key}'", todo=closest(key, (joined(p) for p, _ in leaves(everything)))
            )
        below = [joined(one) for one, _ in leaves(everything) if one[: len(path)] == path]
        return found, ", ".join(dict.fromkeys(self.origins.get(one, "default") for one in below))


class _Layers:
    """What has been laid down so far."""

    def __init__(self) -> None:
        self.merged: dict[str, Any] = {}
        self.origins: dict[str, str] = {}

    def add(self, layer: Mapping[str, Any], origin: str) -> None:
        merge(self.merged, layer)
        for path, _ in leaves(layer):
            # An emptied table takes the origins of what was in it along.
            self.origins[joined(path)] = origin


def load_settings(
    config_folder: Path,
    workspace: Path,
    *,
    extra_file: str = "",
    env: Mapping[str, str] | None = None,
    flags: Mapping[str, Any] | None = None,
    trust: TrustStore | None = None,
    trusted: bool | None = None,
) -> LoadedSettings:
    """Raises `UsageError` naming file, key and the closest known key. Only `extra_file` has to be there.

    `env` None: the environment is left out. `flags`: dotted key -> value. `trusted` says whether the project's file counts;
    None: as the trust store says, and not without one.
    """
    layers = _Layers()
    own = config_folder / FILE
    if own.exists():
        layers.add(_checked_file(own), str(own))
    if trusted is None:
        trusted = trust is not None and trust.state(workspace).standing == "trusted"
    project, notes = _project_layer(workspace, layers.merged, trusted=trusted)
    layers.add(project, str(workspace / ".kram" / FILE))
    if extra_file:
        extra = Path(extra_file).expanduser()
        layers.add(_checked_file(extra), str(extra))
    for variable, key in ENVIRONMENT.items():
        if env is not None and (value := env.get(variable, "").strip()):
            layers.add(_checked_value(key, value, f"${variable}"), f"${variable}")
    for key, value in (flags or {}).items():
        layers.add(_checked_value(key, value, f"flag for {key}"), "command line")
    settings = checked(layers.merged, Settings, own)
    return LoadedSettings(settings=settings, origins=layers.origins, notes=tuple(notes))


def _checked_file(path: Path) -> dict[str, Any]:
    layer = read_toml(path)
    checked(layer, Settings, path)
    return layer


def _checked_value(key: str, value: Any, where: str) -> dict[str, Any]:
    layer = nested(split(key), value)
    checked(layer, Settings, where)
    return layer


def _project_layer(workspace: Path, below: Mapping[str, Any], *, trusted: bool) -> tuple[dict[str, Any], list[str]]:
    """What a project's file adds, and what the person should know about the rest."""
    path = workspace / ".kram" / FILE
    if not trusted or not path.exists():
        return {}, []
    kept, refused = narrowed(_checked_file(path), below)
    return kept, [f"Not used of {path}: {', '.join(refused)}."] if refused else []


def read_toml(path: Path) -> dict[str, Any]:
    """Raises `UsageError` with the line for a file that is no TOML."""
    try:
        content = read_bytes(path.resolve(strict=True), MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise UsageError("The configuration is larger than 1 MB", where=str(path))
        return tomllib.loads(content.decode("utf-8"))
    except (OSError, UnicodeDecodeError) as failure:
        raise UsageError(f"Cannot read the configuration: {failure}", where=str(path)) from failure
    except tomllib.TOMLDecodeError as failure:
        raise UsageError(f"Not valid TOML: {failure}", where=str(path), todo="Mend that line") from failure


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
