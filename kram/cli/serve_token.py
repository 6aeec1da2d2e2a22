"""The token of `kram serve`: made once, kept in the state folder for its owner's eyes only."""

from __future__ import annotations

import os
import re
import secrets
from pathlib import Path

from kram.base import UsageError, atomic_write, read_bytes

FILE = "serve-token"
_PROPER = re.compile(r"[\x21-\x7e]{8,512}")
_MAX_BYTES = 4096


def proper_token(text: str) -> str:
    """The token, trimmed. Raises `UsageError` for one that no header can hold, or that is guessed in no time."""
    if not _PROPER.fullmatch(text.strip()):
        raise UsageError("A token is 8 to 512 visible ASCII characters without a space", where="--token")
    return text.strip()


def own_token(state: Path) -> str:
    """The kept token; the first time it is made. Raises `UsageError` where others can read it or it cannot be kept."""
    path = state / FILE
    try:
        if path.exists():
            if os.name == "posix" and path.stat().st_mode & 0o077:
                raise UsageError("The token can be read by others", where=str(path), todo=f"Delete it: rm {path}")
            return proper_token(read_bytes(path, _MAX_BYTES).decode("ascii", "replace"))
        state.mkdir(parents=True, exist_ok=True, mode=0o700)
        token = f"kram-{secrets.token_urlsafe(32)}"
        atomic_write(path, token.encode() + b"\n", mode=0o600)
    except OSError as failure:
        raise UsageError(f"The token cannot be kept: {failure.strerror or failure}", where=str(path)) from failure
    return token
