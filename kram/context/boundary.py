"""A compaction's marker as a boundary: its metadata, and what of a session lies behind it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kram.base import Data
from kram.messages import Entry, Kind


class Boundary(Data):
    """`trigger`: auto, reactive or manual. Tokens before; how many entries the summary stands for; the skills in use."""

    trigger: str = ""
    pre_tokens: int = 0
    messages_summarized: int = 0
    active_skills: tuple[str, ...] = ()


def read_boundary(payload: object) -> Boundary:
    """From a marker's payload: an object, or in an old form the number of tokens alone. Unreadable: without any data."""
    if isinstance(payload, int) and not isinstance(payload, bool):
        return Boundary(pre_tokens=payload)
    try:
        return msgspec.convert(payload, Boundary)
    except msgspec.ValidationError:
        return Boundary()


def boundary_of(entry: Entry) -> Boundary | None:
    """A marker's data; None for every other entry."""
    if entry.kind != Kind.COMPACTION:
        return None
    return read_boundary(entry.details.get("compact_boundary"))


def last_boundary(entries: Sequence[Entry]) -> int:
    """The index of the last marker, -1 without one."""
    return max((at for at, one in enumerate(entries) if one.kind == Kind.COMPACTION), default=-1)


def since_boundary(entries: Sequence[Entry]) -> list[Entry]:
    """From the last marker on, the marker included; everything without one."""
    return list(entries[max(0, last_boundary(entries)) :])
