"""What every part of the runtime stands on: the house, the one running turn, the one way to say something."""

from __future__ import annotations

import asyncio

from kram.agent import Bench
from kram.base import UsageError
from kram.events import Event, TurnResult
from kram.messages import Usage

from .wiring import House


class Held:
    """The base of the runtime's parts; each part is one subject of `Runtime`, which inherits all of them."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._turn: asyncio.Task[TurnResult] | None = None
        self._session_usage = Usage()
        self._said_small = False

    @property
    def busy(self) -> bool:
        """Whether a turn runs."""
        return self._turn is not None

    @property
    def _bench(self) -> Bench:
        return self._house.bench

    def _must_be_idle(self) -> None:
        if self.busy:
            raise UsageError("A turn is running", todo="Stop it first")

    def emit(self, event: Event) -> None:
        """For a front end's own notices, so that they stand in the same order as everything else."""
        self._house.bus.emit(event)
