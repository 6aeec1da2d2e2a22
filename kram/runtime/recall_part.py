"""The runtime's memory: facts that were kept, and the words of earlier sessions."""

from __future__ import annotations

from kram.messages import SessionHit
from kram.tools import Recall

from .held import Held

ROWS_AT_ONCE = 50
PAUSE_S = 0.02


class RecallPart(Held):
    @property
    def recall(self) -> Recall:
        """What the open session's tools use too; facts changed here reach the model with the next message."""
        return self._bench.recall

    def search_sessions(self, query: str) -> list[SessionHit]:
        """Sessions of this workspace in which it was said, one match each; the last word may be unfinished."""
        return self._house.store.said_in(query, workspace=self._house.workspace.root)

    def index_earlier(self) -> None:
        """Makes what an older kram stored searchable, a little at a time beside everything else."""
        self._house.background.spawn(self._index(), "indexing earlier sessions")

    async def _index(self) -> None:
        while self._house.store.index_more(ROWS_AT_ONCE):
            await self._house.clock.sleep(PAUSE_S)
