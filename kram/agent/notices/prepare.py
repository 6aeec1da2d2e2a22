"""What runs before each request is built, after what was said meanwhile was taken in. A preparer may add notices and take
them back; what it raises ends the turn."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

Preparer: TypeAlias = Callable[[str], Awaitable[None]]
"""Gets the session's id. Called once a model call."""


async def prepare_all(preparers: Sequence[Preparer], session_id: str) -> None:
    """One after the other, in their order."""
    for preparer in preparers:
        await preparer(session_id)
