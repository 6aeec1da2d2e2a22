"""Pointers to what may help, found without being asked for: the newest words of the session are looked up, and what is found
becomes a notice that names it and says how to read it."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeAlias

from kram.base import Data, one_line
from kram.messages import Entry, Kind

from .pending import Pending

TIMEOUT_S = 3.0
MAX_HITS = 3
LINE_CHARS = 240
OBSERVED = (Kind.USER, Kind.ASSISTANT)

log = logging.getLogger(__name__)


class Found(Data):
    """One hit. `line` is a few words of it."""

    id: str
    score: float
    title: str = ""
    line: str = ""


Find: TypeAlias = Callable[[Sequence[str]], Awaitable[Sequence[Found]]]
"""Gets what was said since the last time, oldest first."""


class Finder:
    """`entries` gives the session's entries. A search that fails or takes too long costs nothing but its notice: the same
    words are looked up again next time. Each hit is named once."""

    def __init__(
        self,
        entries: Callable[[], Sequence[Entry]],
        find: Find,
        pending: Pending,
        *,
        hint: str,
        tag: str = "recall",
        min_score: float = 0.0,
        max_hits: int = MAX_HITS,
        timeout_s: float = TIMEOUT_S,
        kinds: Sequence[Kind] = OBSERVED,
    ) -> None:
        self._entries = entries
        self._find = find
        self._pending = pending
        self._hint = hint
        self._tag = tag
        self._min_score = min_score
        self._max_hits = max_hits or MAX_HITS
        self._timeout_s = timeout_s
        self._kinds = frozenset(kinds)
        self._seen_ns = 0
        self._named: set[str] = set()

    async def __call__(self, session_id: str) -> None:
        new = [
            one
            for one in self._entries()
            if one.created_at > self._seen_ns and one.kind in self._kinds and one.content.strip()
        ]
        if not new:
            return
        try:
            async with asyncio.timeout(self._timeout_s if self._timeout_s > 0 else None):
                hits = await self._find([one.content for one in new])
        except Exception:
            log.warning("nothing could be looked up", exc_info=True)
            return
        for hit in self._chosen(hits):
            self._named.add(hit.id)
            title = one_line(hit.title or hit.id, 80)
            text = f"{title} (id {hit.id}, score {hit.score:.2f}): {one_line(hit.line, LINE_CHARS)}\n{self._hint}"
            self._pending.publish(self._tag, text)
        self._seen_ns = max(one.created_at for one in new)

    def _chosen(self, hits: Sequence[Found]) -> list[Found]:
        """The best new ones; of one id only the first."""
        fitting: dict[str, Found] = {}
        for hit in sorted(hits, key=lambda hit: -hit.score):
            if hit.id and hit.score >= self._min_score and hit.id not in self._named:
                fitting.setdefault(hit.id, hit)
        best = list(fitting.values())
        return best if self._max_hits < 0 else best[: self._max_hits]


def hits_of(result: str) -> list[Found]:
    """What a search tool's JSON names: an array, or an object with `hits`, `results` or `documents`. Rows without an id are
    left out; a result that is no such JSON has none."""
    try:
        value = json.loads(result)
    except ValueError:
        return []
    if isinstance(value, dict):
        value = next(
            (value[name] for name in ("hits", "results", "documents") if isinstance(value.get(name), list)), []
        )
    rows = [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []
    return [hit for row in rows if (hit := _hit(row)) is not None]


def _hit(row: dict[str, Any]) -> Found | None:
    name = row.get("doc_id") or row.get("id")
    if not name:
        return None
    score = row.get("score")
    line = next((str(row[key]) for key in ("snippet", "text", "content") if row.get(key)), "")
    return Found(
        id=str(name),
        score=float(score) if isinstance(score, int | float) else 0.0,
        title=str(row.get("title") or ""),
        line=line[:LINE_CHARS],
    )
