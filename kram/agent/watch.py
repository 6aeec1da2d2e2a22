"""Watches one answer stream: events for the front ends, the partial text on disk, the guard against endless repetition."""

from __future__ import annotations

from kram import messages
from kram.events import ReasoningDelta, TextDelta, ToolCallStreaming
from kram.messages import StreamEvent, ToolInputDelta, ToolUseStarted

from .bench import Bench
from .guards import Repeated, RepetitionGuard
from .record import PartialWriter


class StreamWatch:
    """`note` every event; `repeated` is set once the model goes round in circles. `close` when the stream is over."""

    def __init__(self, bench: Bench, entry_id: str) -> None:
        self._emit = bench.emit
        self._entry_id = entry_id
        self._partial = PartialWriter(bench.record, entry_id)
        self._guard = RepetitionGuard("content")
        self._calls: dict[int, tuple[ToolUseStarted, RepetitionGuard]] = {}
        self._written: dict[int, int] = {}
        self.repeated: Repeated | None = None

    def note(self, event: StreamEvent, model: str) -> None:
        self._partial.model = model or self._partial.model
        match event:
            case messages.TextDelta():
                self._partial.text(event.text)
                self._emit(TextDelta(text=event.text, entry_id=self._entry_id))
                self.repeated = self._guard.feed(event.text)
            case messages.ThinkingDelta():
                self._partial.thinking(event.text)
                self._emit(ReasoningDelta(text=event.text, entry_id=self._entry_id))
            case ToolUseStarted():
                self._calls[event.index] = (event, RepetitionGuard(f"tool:{event.name} arguments"))
                self._tell(event.index, "")
            case ToolInputDelta() if event.index in self._calls:
                self._tell(event.index, event.text)
                self.repeated = self._calls[event.index][1].feed(event.text)
            case _:
                pass

    def _tell(self, index: int, more: str) -> None:
        self._written[index] = self._written.get(index, 0) + len(more)
        started, _ = self._calls[index]
        self._emit(ToolCallStreaming(name=started.name, call_id=started.id, characters=self._written[index]))

    def close(self) -> None:
        self._partial.close()
