"""The log: a rotating file in the state folder, never the terminal, with secrets taken out."""

from __future__ import annotations

import logging
from logging.handlers import RotatingFileHandler
from pathlib import Path

from .redact import Redactor

MAX_BYTES = 2_000_000


def start_log(state: Path, redactor: Redactor, *, debug: bool = False) -> None:
    """Logs `kram` to `log/kram.log` below `state`. A folder that cannot be written costs the log only."""
    logger = logging.getLogger("kram")
    logger.propagate = False
    logger.setLevel(logging.DEBUG if debug else logging.INFO)
    for old in tuple(logger.handlers):
        logger.removeHandler(old)
        old.close()
    try:
        folder = state / "log"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handler: logging.Handler = RotatingFileHandler(
            folder / "kram.log", maxBytes=MAX_BYTES, backupCount=2, encoding="utf-8", delay=True
        )
    except OSError:
        handler = logging.NullHandler()
    handler.setFormatter(_Redacting(redactor))
    logger.addHandler(handler)


class _Redacting(logging.Formatter):
    def __init__(self, redactor: Redactor) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s %(message)s")
        self._redactor = redactor

    def format(self, record: logging.LogRecord) -> str:
        return self._redactor.redact(super().format(record))
