"""A buffer between what a model says and somebody who reads it at their own pace, in another thread if they like.

output = OutputManager(flush=screen.redraw)
output.content("Hello")                  # buffered, flushed, queued
name, payload = output.next()            # or None
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from kram.base import Clock, Json, SystemClock, iso_utc

CAPACITY = 256


class TextBuffer:
    """Text that grows; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pieces: list[str] = []

    def append(self, text: str) -> None:
        with self._lock:
            self._pieces.append(text)

    def reset(self) -> None:
        with self._lock:
            self._pieces.clear()

    def __str__(self) -> str:
        with self._lock:
            text = "".join(self._pieces)
            self._pieces = [text]
        return text

    def __len__(self) -> int:
        return len(str(self))


class OutputManager:
    """`metadata` is added to every event, under the event's own keys. What finds the queue full is dropped, not waited for;
    the buffers still have its text. After `close` everything is ignored."""

    def __init__(
        self,
        *,
        flush: Callable[[], None] = lambda: None,
        publish: Callable[[str, Json], None] = lambda name, payload: None,
        metadata: Mapping[str, Any] | None = None,
        clock: Clock | None = None,
        capacity: int = CAPACITY,
    ) -> None:
        self._flush = flush
        self._publish = publish
        self._metadata = dict(metadata or {})
        self._clock = clock or SystemClock()
        self._capacity = capacity
        self._lock = threading.Lock()
        self._queue: deque[tuple[str, Json]] = deque()
        self._closed = False
        self.text = TextBuffer()
        self.reasoning_text = TextBuffer()

    def content(self, text: str) -> None:
        """Visible text: buffered, flushed, told as a chunk and as a message. An empty piece is nothing."""
        if text and not self._closed:
            self.text.append(text)
            if self._put("stream_chunk", {"chunk": text, "content_type": "text"}):
                self._publish("agent_message", self._dressed({"category": "content", "message": text}))
            self._flush()

    def reasoning(self, text: str) -> None:
        if text and not self._closed:
            self.reasoning_text.append(text)
            self._put("stream_chunk", {"chunk": text, "content_type": "reasoning"})
            self._flush()

    def message(self, category: str, text: str) -> None:
        self._put("agent_message", {"category": category, "message": text})

    def error(self, text: str) -> None:
        self._put("error", {"message": text, "error": text})

    def next(self) -> tuple[str, Json] | None:
        """The oldest event that waits, None where none does."""
        with self._lock:
            return self._queue.popleft() if self._queue else None

    def waiting(self) -> int:
        with self._lock:
            return len(self._queue)

    def reset(self) -> None:
        """Empties buffers and queue."""
        self.text.reset()
        self.reasoning_text.reset()
        with self._lock:
            self._queue.clear()

    def close(self) -> None:
        """Ends it. May be called twice."""
        self._closed = True

    def _put(self, name: str, payload: Json) -> bool:
        """Queues an event and tells it; False where there was no room, or an end."""
        if self._closed:
            return False
        event = self._dressed(payload)
        with self._lock:
            if len(self._queue) >= self._capacity:
                return False
            self._queue.append((name, event))
        self._publish(name, event)
        return True

    def _dressed(self, payload: Json) -> Json:
        return {"timestamp": iso_utc(self._clock.now_ns()), **self._metadata, **payload}
