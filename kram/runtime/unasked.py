"""Pointing out, unasked, what earlier sessions said: the long words of what is being said are looked up in the store."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

from kram.agent.notices import Found
from kram.messages import SessionHit
from kram.tools import Recall

HINT = "session_search shows more of it."
WORDS = 3
LEAST_CHARS = 5
_WORD = re.compile(rf"\w{{{LEAST_CHARS},}}")


class EarlierSessions:
    """A finder's search. The longest words of the newest message say best what it is about; fewer are tried where all of
    them together find nothing."""

    def __init__(self, recall: Recall) -> None:
        self._recall = recall

    async def __call__(self, texts: Sequence[str]) -> Sequence[Found]:
        words = sorted(dict.fromkeys(_WORD.findall(texts[-1])), key=len, reverse=True)[:WORDS]
        for count in range(len(words), 0, -1):
            # The store belongs to this thread; a look into its index takes a few milliseconds.
            hits = self._recall.search(" ".join(words[:count]), limit=WORDS, subagents=False, everywhere=False)
            if hits:
                return [_found(place, hit) for place, hit in enumerate(hits)]
            await asyncio.sleep(0)
        return ()


def _found(place: int, hit: SessionHit) -> Found:
    return Found(id=hit.session_id, score=1 / (place + 1), title=hit.title or "an earlier session", line=hit.said.text)
