"""How an encrypted reasoning item travels inside `ThinkingBlock.redacted`.

The Responses API wants such an item back whole: its id and its ciphertext. Both are packed into one string behind a
prefix, so that no other vendor's opaque block is ever taken for one of ours.
"""

from __future__ import annotations

import json

from kram.base import Data

_PREFIX = "openai-responses:"


class ReasoningToken(Data):
    """An encrypted reasoning item: the provider's id (may be "") and the ciphertext."""

    id: str
    encrypted: str


def pack(token: ReasoningToken) -> str:
    """The token as one opaque string."""
    return _PREFIX + json.dumps([token.id, token.encrypted], separators=(",", ":"))


def unpack(text: str) -> ReasoningToken | None:
    """The token inside, or None for a block of another vendor."""
    if not text.startswith(_PREFIX):
        return None
    try:
        pair = json.loads(text.removeprefix(_PREFIX))
    except ValueError:
        return None
    if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(part, str) for part in pair):
        return None
    return ReasoningToken(id=pair[0], encrypted=pair[1])
