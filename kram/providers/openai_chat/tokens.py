"""How servers' opaque extras travel through our blocks: OpenRouter's `reasoning_details` inside a thinking block's signature
or ciphertext, Google's `extra_content` inside a call's signature.

Each is packed with a prefix, so that no other vendor's opaque text is ever taken for one of these.
"""

from __future__ import annotations

import json

from kram.base import Json

_PREFIX = "openai-chat:"


def pack(extra: Json) -> str:
    """The extra as one opaque string."""
    return _PREFIX + json.dumps(extra, separators=(",", ":"))


def unpack(text: str) -> Json | None:
    """The extra inside, None for another vendor's text. Of several that were joined the last one counts."""
    if not text.startswith(_PREFIX):
        return None
    try:
        extra = json.loads(text.rpartition(_PREFIX)[2])
    except ValueError:
        return None
    return extra if isinstance(extra, dict) else None
