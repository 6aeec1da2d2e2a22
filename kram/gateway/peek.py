"""The bounded look at the start of an answer: an attempt is committed by its first meaningful event.

Until then nothing was shown, so another candidate may take over without anyone seeing text twice. What a combo's gate asks
of an answer is judged here as far as the look goes: to the end of an answer that is not streamed; of a streamed one to
the length it must have, or 200 bytes where it may not hold certain words. Time is bounded by the transport.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

from kram.config import Gate
from kram.messages import (
    MessageDelta,
    MessageStarted,
    MessageStopped,
    RedactedThinking,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    ToolUseStarted,
    is_meaningful,
)
from kram.providers import ContentRejected, Incomplete

MAX_BLANK = 8
"""Events without content after which an attempt is given up. Reasoning and the progress of a call are content."""
FORBIDDEN_LOOK = 200
"""Bytes of a streamed answer that are searched for forbidden words."""


async def peek(events: AsyncIterator[StreamEvent], gate: Gate, *, whole: bool = False) -> list[StreamEvent]:
    """The events up to and with the one that commits; all of them where `whole` (the answer is not streamed).

    Raises `ContentRejected` for an answer the gate refuses, `Incomplete` for a stream that just ended, and whatever the
    provider raises.
    """
    held: list[StreamEvent] = []
    judge = Judge(gate)
    blank = 0
    async for event in events:
        held.append(event)
        judge.note(event)
        if judge.terminal:
            if not whole:
                judge.check_whole()
                return held
        elif not whole and judge.settled():
            return held
        blank += _is_blank(event)
        if blank >= MAX_BLANK and not judge.begun:
            raise ContentRejected(f"The answer did not begin within {MAX_BLANK} events")
    if whole and held:
        judge.check_end()
        judge.check_whole()
        return held
    raise Incomplete("The answer ended before it began")


class Judge:
    """Judges an answer as it passes, by the combo's gate. `begun`: something meaningful came."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._text: list[str] = []
        self._length = 0
        self._calls = False
        self._hidden = False
        self._reason = ""
        self.begun = False
        self.terminal = False

    def note(self, event: StreamEvent) -> None:
        self.begun = self.begun or is_meaningful(event)
        if isinstance(event, TextDelta):
            self._text.append(event.text)
            self._length += len(event.text.encode("utf-8", "surrogatepass"))
        elif isinstance(event, ToolUseStarted):
            self._calls = True
        elif isinstance(event, ThinkingDelta | RedactedThinking):
            self._hidden = True
        elif isinstance(event, MessageDelta):
            self._reason = event.refusal or event.finish_reason or self._reason
        elif isinstance(event, MessageStopped):
            self.terminal = True

    def settled(self) -> bool:
        """Whether the answer may be shown from here on. Raises `ContentRejected` where it says what it may not."""
        wanted = max(self._gate.min_content_length, FORBIDDEN_LOOK if self._gate.forbidden_substrings else 0)
        if not self.begun or (not self._calls and self._length < wanted):
            return False
        self._check_words()
        return True

    def check_whole(self) -> None:
        """An answer that is all there. Calls need no text. Raises `ContentRejected`."""
        self._check_words()
        if self._calls:
            return
        text = "".join(self._text)
        if self._gate.reject_empty and not text.strip():
            told = f" ({self._reason})" if self._reason else ""
            what = "The model only thought and said nothing" if self._hidden else "The model gave an empty answer"
            raise ContentRejected(what + told)
        if self._length < self._gate.min_content_length:
            wanted = self._gate.min_content_length
            raise ContentRejected(f"The answer has {self._length} bytes, and at least {wanted} are wanted")

    def check_end(self) -> None:
        """Raises `Incomplete` where a terminal event is required and did not come."""
        if self._gate.require_terminal and not self.terminal:
            raise Incomplete("The answer broke off")

    def _check_words(self) -> None:
        if not self._gate.forbidden_substrings:
            return
        text = "".join(self._text)
        for words in self._gate.forbidden_substrings:
            if words in text:
                raise ContentRejected(f"The answer says “{words}”, which this combo does not take")


def _is_blank(event: StreamEvent) -> bool:
    return isinstance(event, MessageStarted) or (isinstance(event, TextDelta) and not event.text.strip())
