"""What probing an endpoint taught, kept between runs: `profiles.json` in the data folder, written by `kram doctor --probe`.

    {"version": 1, "profiles": {"PROVIDER/MODEL": {"at": …, "kind": …, "base_url": …, "facts": {…}, "found": {…}}}}

`facts` are settings of a model, named as in the configuration; `found` is what each probe saw, in words. A profile counts
only for the address it was made at, stands below what the person wrote and above the catalogue.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

import msgspec

from kram.base import Data, UsageError, atomic_write, read_bytes

from .keys import joined
from .models import Provider
from .settings import ModelSettings, Settings

FILE = "profiles.json"
MAX_BYTES = 4_000_000


class Profile(Data):
    """One model of one account; `at` is UTC in ISO 8601."""

    at: str
    kind: str
    base_url: str
    facts: ModelSettings
    found: dict[str, str] = {}

    def fits(self, provider: Provider) -> bool:
        """Whether the account is still what was probed."""
        return (self.kind, self.base_url) == (provider.kind, provider.base_url)

    def stated(self) -> dict[str, object]:
        """The facts that say something."""
        return {
            name: value for name in self.facts.__struct_fields__ if (value := getattr(self.facts, name)) is not None
        }


def profile_rows(profiles: Mapping[str, Profile], settings: Settings) -> Iterator[tuple[str, str, str]]:
    """What was learnt and the person did not write themselves, as key, value and origin."""
    for name, profile in profiles.items():
        provider, _, model = name.partition("/")
        account = settings.providers.get(provider)
        written = account.models.get(model) if account else None
        for setting, value in profile.stated().items():
            if written is None or getattr(written, setting) is None:
                key = joined(("providers", provider, "models", model, setting))
                shown = value if isinstance(value, str) else msgspec.json.encode(value).decode()
                yield key, shown, f"probed {profile.at[:10]}"


class _File(Data):
    version: Literal[1] = 1
    profiles: dict[str, Profile] = {}


def read_profiles(data_folder: Path) -> dict[str, Profile]:
    """By `provider/model`; empty where there is no file, or one that this version cannot read: it can be made again."""
    try:
        return dict(msgspec.json.decode(read_bytes(data_folder / FILE, MAX_BYTES), type=_File).profiles)
    except (OSError, msgspec.MsgspecError):
        return {}


def keep_profile(data_folder: Path, name: str, profile: Profile) -> Path:
    """Adds or replaces one. Raises `UsageError` where the folder cannot be written."""
    return _write(data_folder, {**read_profiles(data_folder), name: profile})


def forget_profile(data_folder: Path, name: str) -> bool:
    """Whether there was one."""
    kept = read_profiles(data_folder)
    if name not in kept:
        return False
    _write(data_folder, {other: profile for other, profile in kept.items() if other != name})
    return True


def _write(data_folder: Path, profiles: Mapping[str, Profile]) -> Path:
    path = data_folder / FILE
    content = msgspec.json.format(msgspec.json.encode(_File(profiles=dict(sorted(profiles.items())))), indent=2)
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        atomic_write(path, content, mode=0o600)
    except OSError as failure:
        raise UsageError(f"Cannot keep what was learnt: {failure.strerror}", where=str(path)) from failure
    return path
