"""The files a person writes: whether kram can use them, and what of them it does not use."""

from __future__ import annotations

from functools import partial

from kram.config import TrustStore, read_profiles
from kram.permissions import read_files

from .finding import Finding, finding
from .scene import Scene

OWN = "config.toml"

_say = partial(finding, "configuration")


async def check_configuration(scene: Scene) -> list[Finding]:
    return [*_settings(scene), *_project(scene), *_permissions(scene), *_profiles(scene)]


def _settings(scene: Scene) -> list[Finding]:
    path = scene.paths.config / OWN
    if scene.refusal is not None:
        where = scene.refusal.where or str(path)
        return [_say(where, "problem", scene.refusal.what, scene.refusal.todo)]
    if not path.exists():
        return [_say(OWN, "ok", f"none; everything has its default ({path})")]
    return [_say(OWN, "ok", str(path))]


def _project(scene: Scene) -> list[Finding]:
    """What a project brings along takes part only once it is trusted."""
    if not (scene.workspace / ".kram" / OWN).exists():
        return []
    standing = TrustStore(scene.paths.data).state(scene.workspace).standing
    name = f".kram/{OWN}"
    notes = scene.loaded.notes if scene.loaded else ()
    if standing == "trusted" and not notes:
        return [_say(name, "ok", "used; you trust this project")]
    return [_say(name, "warning", " ".join(notes) or "not used", "Trust the project when kram asks")]


def _permissions(scene: Scene) -> list[Finding]:
    files = read_files(scene.paths.config, scene.workspace)
    bad = [_say("permissions", "problem", one, "Mend the file; until then it only restricts") for one in files.problems]
    unused = [_say("permissions", "warning", one) for one in files.notes]
    rules = len(files.own.rules)
    return [*bad, *unused] or [_say("permissions", "ok", f"{rules} rule{'' if rules == 1 else 's'} of your own")]


def _profiles(scene: Scene) -> list[Finding]:
    """What probing taught counts for the address it was learnt at."""
    profiles = read_profiles(scene.paths.data)
    if not profiles or scene.live is None:
        return []
    accounts = scene.live.base.providers
    stale = [
        name
        for name, profile in profiles.items()
        if (account := accounts.get(name.partition("/")[0])) is not None and not profile.fits(account)
    ]
    if not stale:
        return [_say("profiles", "ok", f"{len(profiles)} probed: {', '.join(profiles)}")]
    todo = f"kram doctor probe {stale[0]}"
    return [_say("profiles", "warning", f"made at another address, not used: {', '.join(stale)}", todo)]
