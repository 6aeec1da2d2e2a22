"""The log: a rotating file in the state folder, never the terminal, with secrets taken out.

Whatever goes wrong with the log costs the log only: a full disk or a folder of someone else neither raises nor prints.
"""

from __future__ import annotations

import logging
import os
from contextlib import suppress
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import cast

from .redact import Redactor

MAX_BYTES = 2_000_000
KEPT_FILES = 2


def start_log(state: Path, redactor: Redactor, *, debug: bool = False) -> Path:
    """Logs everything below the name `kram` to `log/kram.log` under `state` and returns that path.

    Calling it again moves the log. The file is the owner's alone (0600, its folder 0700).
    """
    logger = logging.getLogger("kram")
    logger.propagate = False
    logger.setLevel(logging.DEBUG if debug else logging.INFO)
    quiet_log()
    path = state / "log" / "kram.log"
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handler: logging.Handler = _PrivateFile(
            path, maxBytes=MAX_BYTES, backupCount=KEPT_FILES, encoding="utf-8", delay=True
        )
    except OSError:
        return path
    handler.setFormatter(_Redacting(redactor))
    logger.addHandler(handler)
    return path


def quiet_log() -> None:
    """Ends the log and keeps Python from printing records nobody takes: what it does before a log was started."""
    logger = logging.getLogger("kram")
    for old in tuple(logger.handlers):
        logger.removeHandler(old)
        old.close()
    logger.addHandler(logging.NullHandler())


class _PrivateFile(RotatingFileHandler):
    """Readable by its owner only, and silent where it cannot be written: the standard way prints to stderr, which is the
    interface's."""

    def _open(self) -> TextIOWrapper:
        def private(path: str, flags: int) -> int:
            return os.open(path, flags | os.O_NOFOLLOW, 0o600)

        # RotatingFileHandler's own way to open has no opener, which would leave the mode to the umask.
        return cast(
            "TextIOWrapper",
            open(self.baseFilename, self.mode, encoding=self.encoding, errors="backslashreplace", opener=private),
        )

    def emit(self, record: logging.LogRecord) -> None:
        # A record whose arguments do not fit its text is dropped as well: it must not end the program either.
        with suppress(OSError, ValueError, TypeError):
            if self.shouldRollover(record):
                self.doRollover()
            if self.stream is None:
                self.stream = self._open()
            self.stream.write(self.format(record) + self.terminator)
            self.stream.flush()


class _Redacting(logging.Formatter):
    def __init__(self, redactor: Redactor) -> None:
        super().__init__("%(asctime)s %(levelname)s %(process)d %(name)s %(message)s")
        self._redactor = redactor

    def format(self, record: logging.LogRecord) -> str:
        return self._redactor.redact(super().format(record))
