"""Where kram keeps its own files: configuration, data, state, caches. `KRAM_HOME` moves all four at once."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from .data import Data


class AppPaths(Data):
    """Four absolute folders; none of them is made by asking for them."""

    config: Path
    data: Path
    state: Path
    cache: Path


def app_paths(env: Mapping[str, str] | None = None) -> AppPaths:
    """`$KRAM_CONFIG_DIR` and kin first, then `$KRAM_HOME/{config,data,state,cache}`, then the platform's usual places.

    Relative values are taken from the current directory, once, so that a later change of directory moves nothing.
    """
    env = os.environ if env is None else env
    home = env.get("KRAM_HOME", "")
    found = {name: _one(name, env, home) for name in ("config", "data", "state", "cache")}
    return AppPaths(**found)


def _one(name: str, env: Mapping[str, str], home: str) -> Path:
    if own := env.get(f"KRAM_{name.upper()}_DIR", ""):
        return Path(own).expanduser().absolute()
    if home:
        return Path(home).expanduser().absolute() / name
    from platformdirs import PlatformDirs

    return Path(getattr(PlatformDirs("kram", appauthor=False), f"user_{name}_dir"))
