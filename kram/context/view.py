"""What the model may see of a tool result: special tokens defused, then a cap that keeps head and tail. Render-time only."""

from __future__ import annotations

import msgspec

from kram.messages import Entry, Kind

DEFAULT_CAP_CHARS = 60_000


def neutralise(text: str) -> str:
    """Breaks chat-template markers, so that a tool's output cannot pose as another role."""
    return text.replace("<|", "&lt;|") if "<|" in text else text


def cap(text: str, max_chars: int) -> str:
    """Head two thirds, a marker with the sizes, tail one third; 0 or less is no cap."""
    if max_chars <= 0 or len(text) <= max_chars:
        return text
    head = max_chars * 2 // 3
    tail = max_chars - head
    marker = f"\n[truncated: {len(text) - max_chars} of {len(text)} characters left out here]\n"
    return text[:head] + marker + (text[-tail:] if tail else "")


def viewed(entry: Entry, max_chars: int = DEFAULT_CAP_CHARS) -> Entry:
    """The entry as the model sees it; only tool results change."""
    if entry.kind != Kind.TOOL_RESULT:
        return entry
    text = cap(neutralise(entry.content), max_chars)
    return entry if text == entry.content else msgspec.structs.replace(entry, content=text)
