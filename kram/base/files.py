"""Reading and writing files so that nothing is half done and nothing but a plain file is touched."""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path


class NotAFile(OSError):
    """The path names a folder, device, pipe or socket."""


def read_bytes(path: Path, max_bytes: int) -> bytes:
    """At most `max_bytes` of a regular file. The type is checked on what was opened, so a swap in between is caught.

    Raises `NotAFile` for anything else, `OSError` for the rest; never waits for a pipe or a device.
    """
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    with os.fdopen(fd, "rb") as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise NotAFile(f"not a regular file: {path}")
        return file.read(max_bytes)


def atomic_write(path: Path, data: bytes, *, mode: int | None = None) -> None:
    """The whole content or nothing: a file beside it, flushed to disk, renamed over it, the folder flushed.

    An existing file's mode and owner are kept; a new one gets `mode` (0o644). A link is not followed but refused: callers
    pass what it leads to. Raises `OSError`.
    """
    try:
        before = os.lstat(path)
    except FileNotFoundError:
        before = None
    if before is not None and not stat.S_ISREG(before.st_mode):
        raise NotAFile(f"not a regular file: {path}")
    fd, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.", suffix=".kram-tmp")
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(data)
            file.flush()
            _keep(fd, before, mode)
            os.fsync(fd)
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise
    flush_folder(path.parent)


def _keep(fd: int, before: os.stat_result | None, mode: int | None) -> None:
    os.fchmod(fd, stat.S_IMODE(before.st_mode) if before else (mode if mode is not None else 0o644))
    if before is not None and hasattr(os, "fchown"):
        with suppress(OSError):
            os.fchown(fd, before.st_uid, before.st_gid)


def flush_folder(folder: Path) -> None:
    """Makes a rename durable; systems that cannot flush a folder are left alone."""
    with suppress(OSError):
        fd = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def content_hash(data: bytes) -> str:
    """SHA-256 in hex."""
    return hashlib.sha256(data).hexdigest()
