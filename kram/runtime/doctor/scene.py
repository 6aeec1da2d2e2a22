"""What the checks look at. Made also where the configuration is broken, which is when a doctor is needed most."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kram.base import AppPaths, Clock, KramError, UsageError, app_paths
from kram.config import LoadedSettings, TrustStore, load_settings
from kram.providers import open_provider
from kram.runtime.building import find_roster
from kram.runtime.live import LiveModels
from kram.runtime.options import Options


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """`loaded` and `live` are None where `refusal` says why. `on_screen`: the interface holds the terminal right now."""

    paths: AppPaths
    workspace: Path
    env: Mapping[str, str]
    clock: Clock
    loaded: LoadedSettings | None = None
    live: LiveModels | None = None
    refusal: KramError | None = None
    on_screen: bool = False


async def scene_of(workspace: Path, env: Mapping[str, str], clock: Clock) -> Scene:
    """Reads configuration and looks for local servers. Never raises for what is wrong there."""
    paths = app_paths(env)
    loaded: LoadedSettings | None = None
    try:
        loaded = load_settings(paths.config, workspace, env=env, trust=TrustStore(paths.data))
        roster = await find_roster(loaded, Options(), paths, env)
        live = LiveModels(roster, loaded.settings, paths, clock, open_provider)
    except UsageError as failure:
        return Scene(paths=paths, workspace=workspace, env=env, clock=clock, loaded=loaded, refusal=failure)
    return Scene(paths=paths, workspace=workspace, env=env, clock=clock, loaded=loaded, live=live)
