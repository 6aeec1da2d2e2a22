"""The one bus. `emit` stamps an event and calls every subscriber in order, in the event loop's thread.

A subscriber must return at once; one that raises is logged and does not disturb the others.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeAlias

from kram.base import Clock, iso_utc

from .events import Event, Stamped

Subscriber: TypeAlias = Callable[[Stamped], None]
Emit: TypeAlias = Callable[[Event], None]

log = logging.getLogger(__name__)


class Bus:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._subscribers: list[Subscriber] = []
        self._seq = 0
        self.turn = 0

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Returns the function that ends the subscription."""
        self._subscribers.append(subscriber)

        def unsubscribe() -> None:
            if subscriber in self._subscribers:
                self._subscribers.remove(subscriber)

        return unsubscribe

    def emit(self, event: Event) -> None:
        self._seq += 1
        stamped = Stamped(seq=self._seq, at=iso_utc(self._clock.now_ns()), turn=self.turn, event=event)
        for subscriber in tuple(self._subscribers):
            try:
                subscriber(stamped)
            except Exception:
                log.exception("a subscriber failed on %s", type(event).__name__)
