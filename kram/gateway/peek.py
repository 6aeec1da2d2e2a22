"""The bounded look at the start of an answer: an attempt is committed by its first meaningful event.

Until then nothing was shown, so another candidate may take over without anyone seeing text twice.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

from kram.config import Gate
from kram.messages import MessageDelta, MessageStopped, StreamEvent, TextDelta, ToolUseStarted, is_meaningful
from kram.providers import ContentRejected, Incomplete


async def peek(events: AsyncIterator[StreamEvent], gate: Gate) -> list[StreamEvent]:
    """The events up to and with the first meaningful one.

    Raises `ContentRejected` for an answer that ended without content, `Incomplete` for a stream that just ended, and
    whatever the provider raises.
    """
    held: list[StreamEvent] = []
    reason = ""
    async for event in events:
        held.append(event)
        if isinstance(event, MessageDelta):
            reason = event.refusal or event.finish_reason or reason
        if is_meaningful(event):
            return held
        if isinstance(event, MessageStopped):
            if gate.reject_empty:
                told = f" ({reason})" if reason else ""
                raise ContentRejected(f"The model gave an empty answer{told}")
            return held
    raise Incomplete("The answer ended before it began")


class Judge:
    """Judges an answer as it passes, by the combo's gate; the parts that need the whole answer are checked at its end."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._length = 0
        self._calls = False
        self.terminal = False

    def note(self, event: StreamEvent) -> None:
        if isinstance(event, TextDelta):
            self._length += len(event.text.encode())
        elif isinstance(event, ToolUseStarted):
            self._calls = True
        elif isinstance(event, MessageStopped):
            self.terminal = True

    def check_end(self) -> None:
        """Raises `Incomplete` where a terminal event is required and did not come."""
        if self._gate.require_terminal and not self.terminal:
            raise Incomplete("The answer broke off")
