"""Where the older part of the session was folded into a summary for the model. The originals stay above, as they were."""

from __future__ import annotations

from rich.segment import Segment

from kram.base import JsonView
from kram.base.text import visible
from kram.tui.lines import Line, Lines, Look, cells, fit, row, wrap

from .block import Block, estimated_rows
from .folding import count, plural

BAR = "  ┊ "


class CompactionBlock(Block):
    kind = "compaction"

    def __init__(self, key: str, summary: str, details: JsonView, *, at_ns: int = 0) -> None:
        super().__init__(key, at_ns=at_ns)
        self._summary = visible(summary).strip()
        self._details = details

    @property
    def foldable(self) -> bool:
        return True

    def render(self, width: int, look: Look, now_s: float = 0.0) -> Lines:
        head = self._head(width, look)
        if self.folded:
            return [head]
        bar = Segment(BAR, look.faint)
        rows = wrap([(self._summary, look.muted)], width - cells(BAR) - 2)
        return [
            head,
            *(
                row([bar, *segments], width, look.text, left=cells(BAR), join=join, used=used + cells(BAR))
                for segments, used, join in rows
            ),
        ]

    def _head(self, width: int, look: Look) -> Line:
        facts = ["summarised for the model"]
        folded = self._details.get("subsumed")
        if isinstance(folded, list | tuple):
            facts.append(plural(len(folded), "entry").replace("entrys", "entries"))
        tokens = self._details.get("tokens_before")
        if isinstance(tokens, int):
            facts.append(f"{count(tokens)} tokens before")
        text = fit(f" {'▸' if self.folded else '▾'} {' · '.join(facts)} ", max(1, width - 4))
        side = max(2, (width - cells(text)) // 2)
        segments = [
            Segment("─" * side, look.faint),
            Segment(text, look.muted),
            Segment("─" * max(0, width - side - cells(text)), look.faint),
        ]
        return row(segments, width, look.text, mute=True)

    def estimate(self, width: int) -> int:
        return 1 if self.folded else 1 + estimated_rows(self._summary, width - 6)

    def plain(self) -> str:
        return self._summary
