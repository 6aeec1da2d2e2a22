"""What kram keeps: the session store whole, its folders closed to others, room on the disk."""

from __future__ import annotations

import asyncio
import os
import shutil
import stat
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from kram.sessions import look_at_store

from .finding import Finding, finding
from .scene import Scene

STORE = "kram.db"
LITTLE_BYTES, TOO_LITTLE_BYTES = 1_000_000_000, 100_000_000
LARGE_STORE_BYTES = 2_000_000_000
MAX_LOOKED_AT = 2_000
MAX_NAMED = 3

_say = partial(finding, "storage")


async def check_storage(scene: Scene) -> list[Finding]:
    return await asyncio.to_thread(_all, scene)


def _all(scene: Scene) -> list[Finding]:
    return [_store(scene.paths.data / STORE), _modes(scene), _disk(scene.paths.data), _sizes(scene)]


def _store(path: Path) -> Finding:
    health = look_at_store(path)
    if not health.there:
        return _say("store", "skipped", "nothing was stored yet")
    if health.complaints:
        return _say(
            "store",
            "problem",
            f"damaged: {'; '.join(health.complaints)}",
            "Start kram: it sets the file aside and saves what can be read",
        )
    if health.newer:
        text = f"written by a newer kram (format {health.version})"
        return _say("store", "problem", text, "Update kram, or set KRAM_DATA_DIR to another folder")
    text = f"whole; {health.sessions} sessions, {health.entries:,} entries, {_size(health.size)}"
    if health.size > LARGE_STORE_BYTES:
        return _say("store", "warning", text, "`kram sessions delete` removes what is not needed")
    return _say("store", "ok", text)


def _modes(scene: Scene) -> Finding:
    """Sessions hold everything that was said: nobody else is to read them."""
    if os.name != "posix":
        return _say("permissions", "skipped", "folders have no modes on this system")
    places = [scene.paths.data, scene.paths.state / "log", scene.paths.cache]
    try:
        open_ones = [path for place in places for path in _open_to_others(place)]
    except OSError as failure:
        return _say("permissions", "problem", f"cannot be read: {failure}")
    if not open_ones:
        return _say("permissions", "ok", "data, log and cache are yours alone")
    named = ", ".join(str(path) for path in open_ones[:MAX_NAMED])
    more = f" and {len(open_ones) - MAX_NAMED} more" if len(open_ones) > MAX_NAMED else ""
    return _say("permissions", "problem", f"others can read {named}{more}", f"chmod -R go= {scene.paths.data}")


def _open_to_others(place: Path) -> Iterator[Path]:
    """The place itself; what is in a closed folder is closed. A place that is open is looked into for open files."""
    if not place.exists() or not stat.S_IMODE(place.stat().st_mode) & 0o077:
        return
    yield place
    for number, path in enumerate(place.rglob("*")):
        if number >= MAX_LOOKED_AT:
            return
        if not path.is_symlink() and stat.S_IMODE(path.stat().st_mode) & 0o077:
            yield path


def _disk(place: Path) -> Finding:
    existing = next(one for one in (place, *place.parents) if one.exists())
    free = shutil.disk_usage(existing).free
    text = f"{_size(free)} free at {existing}"
    if free < TOO_LITTLE_BYTES:
        return _say("disk", "problem", text, "Free some space: sessions cannot be stored when it is full")
    if free < LITTLE_BYTES:
        return _say("disk", "warning", text, "Free some space soon")
    return _say("disk", "ok", text)


def _sizes(scene: Scene) -> Finding:
    parts = [
        f"{name} {_size(_weight(path))}" for name, path in (("data", scene.paths.data), ("cache", scene.paths.cache))
    ]
    return _say("kept", "ok", ", ".join(parts))


def _weight(place: Path) -> int:
    total = 0
    for folder, _, names in os.walk(place):
        for name in names:
            path = Path(folder) / name
            if not path.is_symlink() and path.exists():
                total += path.stat().st_size
    return total


def _size(count: int) -> str:
    for unit, size in (("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} bytes"
