"""Server-sent events by the standard (WHATWG HTML, 9.2), fed with bytes cut anywhere.

Own code because the reader must hold a limit on a line, count what it skipped and be exact when a chunk ends inside
a UTF-8 sequence or between CR and LF; `httpx-sse` reads lines that somebody else has split.
"""

from __future__ import annotations

import codecs

from kram.base import Data

MAX_EVENT_CHARS = 1024 * 1024


class ServerEvent(Data):
    """One dispatched event; `event` is "message" unless the stream named it."""

    data: str
    event: str = "message"


class EventTooLong(ValueError):
    """A line or an event grew past the limit."""


class SseDecoder:
    """Bytes in, events out. `close` delivers a last event that the stream did not terminate.

    Raises `EventTooLong` where a line or an event passes `max_chars`.
    """

    def __init__(self, max_chars: int = MAX_EVENT_CHARS) -> None:
        self._max = max_chars
        self._utf8 = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._tail: list[str] = []
        self._tail_chars = 0
        self._skip_lf = False
        self._first = True
        self._name = ""
        self._data: list[str] = []
        self._data_chars = 0

    def feed(self, chunk: bytes) -> list[ServerEvent]:
        return self._take(self._utf8.decode(chunk))

    def close(self) -> list[ServerEvent]:
        events = self._take(self._utf8.decode(b"", final=True))
        if self._tail:
            line = "".join(self._tail)
            self._tail.clear()
            events += self._line(line)
        return events + self._dispatch()

    def _take(self, text: str) -> list[ServerEvent]:
        if self._first and text:
            text = text.removeprefix("\ufeff")
            self._first = False
        if self._skip_lf and text:
            text = text.removeprefix("\n")
            self._skip_lf = False
        if text.endswith("\r"):
            self._skip_lf = True
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        events: list[ServerEvent] = []
        *lines, rest = text.split("\n")
        for line in lines:
            events += self._line("".join(self._tail) + line)
            self._tail.clear()
            self._tail_chars = 0
        if rest:
            self._tail.append(rest)
            self._tail_chars += len(rest)
            if self._tail_chars > self._max:
                raise EventTooLong(f"a line of more than {self._max} characters")
        return events

    def _line(self, line: str) -> list[ServerEvent]:
        if not line:
            return self._dispatch()
        if line.startswith(":"):
            return []
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            self._data.append(value)
            self._data_chars += len(value)
            if self._data_chars > self._max:
                raise EventTooLong(f"an event of more than {self._max} characters")
        elif field == "event":
            self._name = value
        return []

    def _dispatch(self) -> list[ServerEvent]:
        name, data = self._name, self._data
        self._name, self._data, self._data_chars = "", [], 0
        return [ServerEvent(event=name or "message", data="\n".join(data))] if data else []
