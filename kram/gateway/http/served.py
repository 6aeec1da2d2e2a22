"""What is told about a request once it has ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from kram.base import Data
from kram.messages import Route


class Served(Data):
    """One request. `end`: done, gone (the client left), stopping. `model` is the name the client gave; `route` is there where a
    model was called, `problem` where there was no answer. Text in it is the client's or a provider's: data."""

    method: str
    path: str
    status: int
    duration_ms: int
    end: str = "done"
    model: str = ""
    stream: bool = False
    route: Route | None = None
    problem: str = ""


Tell: TypeAlias = Callable[[Served], None]
