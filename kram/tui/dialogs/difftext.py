"""A unified diff as coloured text for dialogs."""

from __future__ import annotations

from textual.content import Content

from kram.base import visible

MAX_LINES = 4_000
MAX_LINE_CHARS = 1_000


def diff_text(diff: str) -> Content:
    """Lines coloured by what they are; control characters shown, markup never read."""
    lines = diff.splitlines()
    parts: list[Content] = []
    for line in lines[:MAX_LINES]:
        style = "$foreground"
        if line.startswith(("+++", "---")):
            style = "$foreground 60%"
        elif line.startswith("@@"):
            style = "$secondary"
        elif line.startswith("+"):
            style = "$success"
        elif line.startswith("-"):
            style = "$error"
        parts.append(Content.styled(visible(line[:MAX_LINE_CHARS]), style))
    if len(lines) > MAX_LINES:
        parts.append(Content(f"… {len(lines) - MAX_LINES} more lines"))
    return Content("\n").join(parts)
