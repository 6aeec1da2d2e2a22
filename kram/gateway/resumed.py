"""Going on where a stream broke: what a call has to know of the one before it."""

from __future__ import annotations

import msgspec

from kram.base import Data
from kram.config import Gate


class Resumed(Data):
    """- `began_s`: when the first call began, on the monotonic clock: all of them share one budget of time.
    - `broke`: the candidates whose stream broke, which are tried last.
    - `said`: the text that was shown already. The answer goes on from there; an answer that starts over loses what it repeats.
    """

    began_s: float
    broke: tuple[str, ...] = ()
    said: str = ""

    def gate(self, gate: Gate) -> Gate:
        """What is asked of the rest of an answer: there may be nothing left to say."""
        if not self.said.strip():
            return gate
        return msgspec.structs.replace(gate, reject_empty=False, min_content_length=0)
