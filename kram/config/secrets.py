"""Keys that kram keeps for the person: the system's keyring where there is one, else a file that only they can read.

`credentials.toml`: `version = 1`, a table `keys` (provider = key), and `keyring`, the names of providers whose key lies in the
keyring. Only for those the keyring is asked, since asking may take a second or raise a dialog.
"""

from __future__ import annotations

import logging
import os
import tomllib
from pathlib import Path
from typing import Literal, Protocol

import msgspec
import tomli_w

from kram.base import Data, UsageError, atomic_write

from .checking import closest

FILE = "credentials.toml"
SERVICE = "kram"

log = logging.getLogger(__name__)


class Keyring(Protocol):
    """What is used of the library `keyring`. Every method may raise anything and may block for long."""

    def get_password(self, service: str, username: str, /) -> str | None: ...

    def set_password(self, service: str, username: str, password: str, /) -> None: ...

    def delete_password(self, service: str, username: str, /) -> None: ...


class _Credentials(Data, forbid_unknown_fields=True):
    version: Literal[1] = 1
    keyring: tuple[str, ...] = ()
    keys: dict[str, str] = {}

    def __repr__(self) -> str:
        return f"_Credentials({len(self.keys)} keys)"


def stored_key(config_folder: Path, provider: str, *, keyring: Keyring | None = None) -> tuple[str, str]:
    """The stored key of a provider and where it lies; two empty strings where there is none. May block on the keyring.

    Raises `UsageError` for a file that others can read, or that is not of its format.
    """
    path = config_folder / FILE
    kept = _read(path)
    if key := kept.keys.get(provider, "").strip():
        return key, str(path)
    if provider in kept.keyring and (key := _from_keyring(provider, keyring)):
        return key, "keyring"
    return "", ""


def keep_key(config_folder: Path, provider: str, key: str, *, keyring: Keyring | None = None) -> str:
    """Keeps a key and returns where: `keyring`, or the file's path. May block on the keyring."""
    path = config_folder / FILE
    kept = _read(path)
    others = {name: value for name, value in kept.keys.items() if name != provider}
    names = [name for name in kept.keyring if name != provider]
    if _into_keyring(provider, key.strip(), keyring):
        _write(path, _Credentials(keyring=(*names, provider), keys=others))
        return "keyring"
    _write(path, _Credentials(keyring=tuple(names), keys={**others, provider: key.strip()}))
    return str(path)


def forget_key(config_folder: Path, provider: str, *, keyring: Keyring | None = None) -> bool:
    """Whether there was one."""
    path = config_folder / FILE
    kept = _read(path)
    if provider not in kept.keys and provider not in kept.keyring:
        return False
    if provider in kept.keyring:
        try:
            (keyring or _system()).delete_password(SERVICE, provider)
        except Exception:
            log.warning("the key of %s could not be taken out of the keyring", provider)
    keys = {name: value for name, value in kept.keys.items() if name != provider}
    _write(path, _Credentials(keyring=tuple(name for name in kept.keyring if name != provider), keys=keys))
    return True


def _read(path: Path) -> _Credentials:
    if not path.exists():
        return _Credentials()
    if os.name == "posix" and path.stat().st_mode & 0o077:
        raise UsageError("The credentials can be read by others", where=str(path), todo=f"chmod 600 {path}")
    try:
        return msgspec.convert(tomllib.loads(path.read_text("utf-8")), _Credentials)
    except OSError as failure:
        raise UsageError(f"Cannot read the credentials: {failure.strerror}", where=str(path)) from failure
    except msgspec.ValidationError as failure:
        # Its words name keys and types, never values.
        name = str(failure).partition("`")[2].partition("`")[0]
        todo = closest(name, _Credentials.__struct_fields__)
        raise UsageError(f"The credentials are not as they should be: {failure}", where=str(path), todo=todo) from None
    except ValueError:
        # TOML's own words may quote the line, and with it a key.
        raise UsageError(
            "The credentials are not valid TOML", where=str(path), todo="Mend or delete the file"
        ) from None


def _write(path: Path, kept: _Credentials) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        atomic_write(path, tomli_w.dumps(msgspec.to_builtins(kept)).encode(), mode=0o600)
    except OSError as failure:
        raise UsageError(f"Cannot keep the credentials: {failure}", where=str(path)) from failure


def _system() -> Keyring:
    import keyring

    found: Keyring = keyring.get_keyring()
    return found


def _from_keyring(provider: str, keyring: Keyring | None) -> str:
    try:
        return ((keyring or _system()).get_password(SERVICE, provider) or "").strip()
    except Exception:
        # A broken keyring costs its keys, not the start.
        log.warning("the keyring could not be read")
        return ""


def _into_keyring(provider: str, key: str, keyring: Keyring | None) -> bool:
    """Whether the keyring took it and gives it back: some backends take everything and keep nothing."""
    try:
        ring = keyring or _system()
        ring.set_password(SERVICE, provider, key)
        return ring.get_password(SERVICE, provider) == key
    except Exception:
        log.info("there is no keyring that takes a key; the file is used")
        return False
