"""From a folder, options and the environment to a house: configuration read, who can answer found, the store opened."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kram.base import AppPaths, Clock, Redactor, UsageError, app_paths, start_log
from kram.base.spawn import reap_leftovers, record_children
from kram.config import (
    Combo,
    LoadedSettings,
    Model,
    Provider,
    Roster,
    TrustStore,
    build_roster,
    discover_local,
    load_settings,
)
from kram.events import UserPort
from kram.sessions import Store
from kram.workspace import Workspace

from .options import Options
from .wiring import House


async def build(
    workspace: Path, options: Options, *, user: UserPort, clock: Clock, env: Mapping[str, str] | None
) -> House:
    """Raises `UsageError` for wrong options or configuration, `StoreError` where the session can't be had."""
    env = os.environ if env is None else env
    ground = await prepare(workspace, options, env)
    paths, redactor = ground.paths, ground.redactor
    house = House(
        options=options,
        paths=paths,
        env=env,
        trust=ground.trust,
        trusted=ground.trusted,
        loaded=ground.loaded,
        roster=ground.roster,
        store=Store.open(paths.data / "kram.db", clock, redactor),
        workspace=Workspace(ground.root, [Path(one).expanduser() for one in options.add_dirs]),
        user=user,
        clock=clock,
        redactor=redactor,
    )
    record_children(paths.state)
    house.background.spawn(asyncio.to_thread(reap_leftovers, paths.state), "ending what an earlier kram left")
    house.background.spawn(asyncio.to_thread(house.artifacts.expire), "removing outputs older than a week")
    return house


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What everything stands on: the folders, the settings, who can answer, and a log that keeps keys out."""

    root: Path
    paths: AppPaths
    redactor: Redactor
    loaded: LoadedSettings
    roster: Roster
    trust: TrustStore
    trusted: bool


async def prepare(workspace: Path, options: Options, env: Mapping[str, str]) -> Ground:
    """Starts the log, reads the settings, finds who can answer. Raises `UsageError`."""
    paths = app_paths({"KRAM_HOME": options.isolated} if options.isolated else env)
    root = workspace.resolve()
    if not root.is_dir():
        raise UsageError("No such directory", where=str(root))
    redactor = Redactor()
    start_log(paths.state, redactor, debug=options.debug)
    trust = TrustStore(paths.data)
    trusted = options.trust or trust.state(root).standing == "trusted"
    loaded = load_settings(paths.config, root, extra_file=options.config_file, env=env, trusted=trusted)
    roster = await find_roster(loaded, options, paths, env)
    # Before anything is stored: what looks like nothing but a word may be a key.
    redactor.add(*(provider.api_key for provider in roster.providers.values()))
    return Ground(root=root, paths=paths, redactor=redactor, loaded=loaded, roster=roster, trust=trust, trusted=trusted)


async def reload(house: House) -> None:
    """Reads configuration, keys and local servers anew. Raises `UsageError` for a configuration that cannot be used, and then
    everything stays as it was."""
    loaded = load_settings(
        house.paths.config,
        house.workspace.root,
        extra_file=house.options.config_file,
        env=house.env,
        trusted=house.trusted,
    )
    house.adopt(loaded, await find_roster(loaded, house.options, house.paths, house.env))


async def find_roster(loaded: LoadedSettings, options: Options, paths: AppPaths, env: Mapping[str, str]) -> Roster:
    """Local servers are looked for when neither configuration nor a key names anyone, or a variable names a server."""
    if options.script:
        return _scripted(options.script)
    roster = build_roster(loaded.settings, env=env, config_folder=paths.config)
    only_embedded = all(provider.kind == "llama-cpp" for provider in roster.providers.values())
    if not env.get("OPENAI_BASE_URL") and (loaded.settings.combos or not only_embedded):
        return roster
    servers = await discover_local(env=env)
    return build_roster(loaded.settings, env=env, config_folder=paths.config, local_servers=servers)


def _scripted(script: str) -> Roster:
    model = Model(provider="script", id=Path(script).stem, context_window=200_000)
    provider = Provider(
        name="script", kind="script", script=script, key_optional=True, models=(model,), origin="a script"
    )
    combo = Combo(name="script", candidates=(model.name,), origin="a script")
    return Roster(providers={"script": provider}, combos={"script": combo}, default_combo="script")
