"""The conversation on the screen: a `Transcript` behind a view that costs what is visible, however long it gets.

    view = Conversation(transcript)      # or Conversation() with a transcript of its own
    view.load(runtime.entries())         # a stored session; `clear()` for none
    runtime.subscribe(view.apply)        # live events, in the event loop's thread

Messages: `LinesBelow(count, new)` when what stands below the visible rows changes (a marker "n new lines"),
`Copied(text)`, `LinkClicked(url)`, `ArtifactOpened(artifact_id)`. For the shell while the prompt has the focus: the actions
`page_up`, `page_down`, `scroll_home`, `scroll_end`, `line_up`, `line_down`, `toggle_output`, and `find(text)`,
`find_next()`, `scroll_rows(n)`, `follow_end()`, `unmark()`, `copy_block()`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from kram.events import Stamped
from kram.messages import Entry
from kram.tui.transcript import Change, Transcript

from .reader import BlockReader


class Conversation(BlockReader):
    def __init__(
        self,
        transcript: Transcript | None = None,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        widget_id: str | None = None,
    ) -> None:
        self.transcript = transcript or Transcript(monotonic)
        super().__init__(self.transcript.blocks, monotonic=monotonic, widget_id=widget_id)

    def load(self, entries: Sequence[Entry]) -> None:
        """Shows a stored session from its end."""
        self.transcript.load(entries)
        self._shown_anew()

    def clear(self) -> None:
        """Shows nothing."""
        self.transcript.clear()
        self._shown_anew()

    def apply(self, stamped: Stamped) -> None:
        """Folds an event in; drawn with the next frame. Returns at once."""
        for change in self.transcript.apply(stamped):
            self._apply_change(change)

    def _apply_change(self, change: Change) -> None:
        self.changed(change.index, change.removed, change.added)

    def _shown_anew(self) -> None:
        self.read(self.transcript.blocks)
