"""An answer in the heredoc dialect, read while it streams: prose goes on as text, calls become tool events.

    @@call NAME
    {…}
    @@end

A call's text is never shown. A call that is cut off or broken is passed on with the arguments as far as they came; they
are no complete JSON then, and the argument gate refuses them. Pure: text in, events out, however the text is cut.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from kram.messages import StreamEvent, TextDelta, ToolInputDelta, ToolUseStarted, ToolUseStopped
from kram.providers.call_ids import made_id

from .prose import Prose
from .value import ValueReader

CALL = "@@call"
END = "@@end"
NAMELESS = "unnamed"
"""Stands for a call's name where there is none; no tool is called so."""

FIRST_INDEX = 1000
"""Calls are numbered from here, apart from those a server recognised by itself."""

_MARK = re.compile(rf"{CALL}[ \t]")
_NAME = re.compile(r"[ \t]*([^\s{]*)")
_NOTHING = "{"
"""The arguments of a call that was cut off before them: the beginning of an object, which never runs."""


class HeredocReader:
    """`feed` text as it comes, `close` once at the end; both give the events that are certain. `tools`: names on offer."""

    def __init__(self, tools: Collection[str]) -> None:
        self._tools = frozenset(tools)
        self._text = ""
        self._final = False
        self._events: list[StreamEvent] = []
        self._step: Callable[[], bool] = self._prose
        self._where = Prose()
        self._value = ValueReader()
        self._said = False
        self._gap = ""
        self._empty = True
        self._marked = False
        self.calls = 0

    @property
    def in_call(self) -> bool:
        """Whether the text so far ends inside of a call."""
        return self._step not in (self._prose, self._behind)

    def feed(self, text: str) -> list[StreamEvent]:
        self._text += text
        return self._run()

    def close(self, *, cut: bool = False) -> list[StreamEvent]:
        """`cut`: the answer was ended by a limit, so that a half-written mark is one."""
        self._final = True
        if cut and self._step == self._prose and not self._where.in_code:
            held = _held(self._text)
            self._text = self._text[: len(self._text) - (held if held > 1 else 0)]
        return self._run()

    def _run(self) -> list[StreamEvent]:
        while self._step():
            pass
        events, self._events = self._events, []
        return events

    # --- prose --------------------------------------------------------------------------------------------------

    def _prose(self) -> bool:
        mark = _MARK.search(self._text)
        certain = mark.start() if mark else len(self._text) - (0 if self._final else _held(self._text))
        self._say(certain)
        if mark is None:
            return False
        length = mark.end() - mark.start()
        if self._where.in_code:
            self._say(length)
            return True
        if not self._where.at_line_start:
            # In the middle of a line only a line that ends with the name of a tool is a call.
            name, newline, _ = self._text[length:].partition("\n")
            if not newline and not self._final:
                return False
            if not newline or name.strip() not in self._tools:
                self._say(length)
                return True
        self._text = self._text[length:]
        self._step = self._name
        return True

    def _say(self, length: int) -> None:
        """White space waits for what follows it: none is shown in front of a call or at the end."""
        text, self._text = self._text[:length], self._text[length:]
        self._where.take(text)
        words = text.rstrip()
        if not words:
            self._gap += text
            return
        self._events.append(TextDelta(text=self._gap + words if self._said else (self._gap + words).lstrip()))
        self._gap = text[len(words) :]
        self._said = True

    # --- a call -------------------------------------------------------------------------------------------------

    def _name(self) -> bool:
        line, newline, _ = self._text.partition("\n")
        if not newline and "{" not in line and not self._final:
            return False
        named = _NAME.match(self._text)
        name = named[1] if named else ""
        self._text = self._text[named.end() if named else 0 :]
        self._events.append(ToolUseStarted(index=self._index, id=made_id(), name=name or NAMELESS))
        self._value = ValueReader()
        self._empty = True
        self._step = self._before
        return True

    def _before(self) -> bool:
        """Nothing of the arguments was seen: there may be none, and then there must be an end."""
        self._text = self._text.lstrip()
        if not self._final and (END.startswith(self._text) or CALL.startswith(self._text)):
            return False
        if self._text.startswith(END):
            self._write("{}")
            return self._stop()
        if not self._text or _MARK.match(self._text):
            self._write(_NOTHING)
            return self._stop()
        self._step = self._arguments
        return True

    def _arguments(self) -> bool:
        self._write(self._value.feed(self._text, final=self._final))
        ended = self._value.done or bool(self._value.problem)
        self._text = self._value.rest if ended else ""
        if self._value.problem:
            # Apart from what was read, so that the two cannot join to something that means another thing.
            self._write(" ")
            self._step = self._broken
            return True
        if not ended and self._empty and self._final:
            self._write(_NOTHING)
        return (ended or self._final) and self._stop()

    def _broken(self) -> bool:
        """The rest of a call that cannot be read, as it was written, up to its end or to the next call."""
        line, newline, rest = self._text.partition("\n")
        if not newline and not self._final:
            return False
        if line.strip() == END or _MARK.match(line) or not self._text:
            return self._stop()
        self._write(line + newline)
        self._text = rest
        return True

    def _behind(self) -> bool:
        """The call's own end mark, where it has one, and the white space around it."""
        self._text = self._text.lstrip()
        if not self._marked:
            if not self._final and len(self._text) < len(END) and END.startswith(self._text):
                return False
            if self._text.startswith(END):
                self._text = self._text[len(END) :]
                self._marked = True
                return True
            if self._final and len(self._text) > 1 and END.startswith(self._text):
                self._text = ""
        if not self._text and not self._final:
            return False
        self._gap = "\n\n" if self._said else ""
        self._where = Prose()
        self._step = self._prose
        return True

    def _write(self, text: str) -> None:
        if text:
            self._empty = False
            self._events.append(ToolInputDelta(index=self._index, text=text))

    def _stop(self) -> bool:
        self._events.append(ToolUseStopped(index=self._index))
        self.calls += 1
        self._marked = False
        self._step = self._behind
        return True

    @property
    def _index(self) -> int:
        return FIRST_INDEX + self.calls


def _held(text: str) -> int:
    """How many characters at the end may be the beginning of a call's mark."""
    mark = f"{CALL} "
    return next((length for length in range(min(len(text), len(CALL)), 0, -1) if mark.startswith(text[-length:])), 0)
