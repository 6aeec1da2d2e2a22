"""Joining an answer to what was shown of it before its stream broke, so that no text is shown twice.

A model that is asked to go on may begin by saying again what it had said: all of it, or the last line. Such a beginning
is cut off. Everything is held back only as long as it may still be a repetition.
"""

from __future__ import annotations

import msgspec

from kram.messages import StreamEvent, TextDelta

MIN_OVERLAP = 12
"""Characters. A shorter match with the end of the text is chance; a match with the whole text always counts."""


class Splice:
    """Feed it the events of the new stream; what comes back is to be shown. `said` is the text that was shown already."""

    def __init__(self, said: str) -> None:
        self._said = said
        self._held: list[StreamEvent] = []
        self._text = ""
        self._places: list[int] | None = None
        self._open = bool(said)

    def feed(self, event: StreamEvent) -> list[StreamEvent]:
        if not self._open:
            return [event]
        if isinstance(event, TextDelta):
            self._held.append(event)
            self._note(event.text)
            if self._undecided():
                return []
        elif not self._text:
            # What comes before the first text (thinking, the start of the message) decides nothing.
            return [event]
        else:
            self._held.append(event)
        return self.close()

    def close(self) -> list[StreamEvent]:
        """What is still held back, without the repetition."""
        self._open = False
        left = self._repeated()
        kept: list[StreamEvent] = []
        for event in self._held:
            if isinstance(event, TextDelta) and left:
                cut, left = event.text[left:], max(0, left - len(event.text))
                if cut:
                    kept.append(msgspec.structs.replace(event, text=cut))
            else:
                kept.append(event)
        self._held = []
        return kept

    def _note(self, more: str) -> None:
        """Keeps the places in the old text from which the new text can be read."""
        before, self._text = len(self._text), self._text + more
        if not self._text:
            return
        if self._places is None:
            first = self._text[0]
            self._places = [at for at, char in enumerate(self._said) if char == first]
        self._places = [
            at
            for at in self._places
            if self._said.startswith(self._text[before : len(self._said) - at], at + before)
            or at + before >= len(self._said)
        ]

    def _undecided(self) -> bool:
        return not self._text or any(len(self._said) - at > len(self._text) for at in self._places or ())

    def _repeated(self) -> int:
        """How many characters at the start say again what the old text ended with, or nothing but a part of it."""
        whole = [min(len(self._said) - at, len(self._text)) for at in self._places or ()]
        fitting = [length for length in whole if length >= MIN_OVERLAP or length == len(self._said)]
        return max(fitting, default=0)
