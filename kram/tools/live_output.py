"""A running command's output for whoever watches: cleaned, a few times a second, never more than a screen of it."""

from __future__ import annotations

import asyncio
import codecs
import re
from collections.abc import Callable

from kram.base import strip_ansi, visible

EVERY_S = 0.1
MAX_CHARS = 4_000
_REWRITTEN = re.compile(r"[^\n]*\r(?=[^\r\n])")
_RETURNS = re.compile(r"\r+")
_UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x1b\n]{0,200})?\Z")


class LiveOutput:
    """`feed` as output comes; what is shown goes to `show`. `close` shows the rest and stops."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._pending = ""
        self._timer: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_running_loop()
        self._due_s = 0.0

    def feed(self, chunk: bytes) -> None:
        # Of a flood only the end will be seen; decoding all of it would cost the most.
        text = self._decoder.decode(chunk[-4 * MAX_CHARS :])
        self._pending = (self._pending + text)[-2 * MAX_CHARS :]
        if self._timer is None:
            self._timer = self._loop.call_at(max(self._due_s, self._loop.time()), self._flush)

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._flush(last=True)

    def _flush(self, *, last: bool = False) -> None:
        self._timer = None
        self._due_s = self._loop.time() + EVERY_S
        text, self._pending = self._pending, ""
        if not last and (cut := _UNFINISHED.search(text)):
            text, self._pending = text[: cut.start()], text[cut.start() :]
        text = cleaned(text)[-MAX_CHARS:]
        if text:
            self._show(text)


def cleaned(text: str) -> str:
    """Without colours; of a line that is written over and over only the last state, on a line of its own."""
    text = strip_ansi(text).replace("\r\n", "\n")
    if "\r" in text:
        text = _RETURNS.sub("\n", _REWRITTEN.sub("\r", text))
    return visible(text)
