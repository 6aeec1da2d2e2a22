"""Keys that kram keeps for the person: the system's keyring where there is one, else a file that only they can read."""

from __future__ import annotations

import logging
import os
import tomllib
from pathlib import Path

from kram.base import UsageError

FILE = "credentials.toml"
SERVICE = "kram"

log = logging.getLogger(__name__)


def stored_key(config_folder: Path, provider: str) -> tuple[str, str]:
    """The stored key of a provider and where it lies; two empty strings where there is none.

    The file is looked at first: asking a keyring may cost a second or raise a dialog, so that is done only when the person
    said `keyring = true` in the file.
    """
    path = config_folder / FILE
    if not path.exists():
        return "", ""
    if os.name == "posix" and path.stat().st_mode & 0o077:
        raise UsageError("The credentials can be read by others", where=str(path), todo=f"chmod 600 {path}")
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as failure:
        raise UsageError(f"Cannot read the credentials: {failure}", where=str(path)) from failure
    keys = content.get("keys", {})
    if isinstance(keys, dict) and isinstance(key := keys.get(provider), str):
        return key, str(path)
    if content.get("keyring") is True and (key := _from_keyring(provider)):
        return key, "keyring"
    return "", ""


def _from_keyring(provider: str) -> str:
    try:
        import keyring

        return keyring.get_password(SERVICE, provider) or ""
    except Exception:
        # A broken keyring backend costs its keys, not the start.
        log.exception("the keyring could not be read")
        return ""
