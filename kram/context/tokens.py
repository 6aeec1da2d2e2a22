"""The one token estimator: shared by the context panel, the trigger of compaction and the gateway's window check.

UTF-8 bytes divided by four, rounded up. It is an estimate and every report says so.
"""

from __future__ import annotations

from collections.abc import Iterable

from kram.messages import Entry, ImageBlock, TextBlock, ThinkingBlock, ToolSpec, to_json

IMAGE_TOKENS = 1500
"""A flat figure for an image: vendors count 85 to about 1,600 by size and model."""


def estimate(text: str) -> int:
    """Tokens of a text; 0 for an empty one."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // 4)


def estimate_entry(entry: Entry) -> int:
    """Tokens an entry takes in a request."""
    total = estimate(entry.content) if not entry.parts else 0
    for part in entry.parts:
        match part:
            case TextBlock():
                total += estimate(part.text)
            case ThinkingBlock():
                total += estimate(part.thinking or part.redacted)
            case ImageBlock():
                total += IMAGE_TOKENS
    if entry.parts and entry.kind in ("user", "tool_call", "tool_result"):
        total += estimate(entry.content)
    return total + estimate(entry.tool_name)


def estimate_entries(entries: Iterable[Entry]) -> int:
    return sum(estimate_entry(entry) for entry in entries)


def estimate_tools(tools: Iterable[ToolSpec]) -> int:
    """Tokens of tool definitions, as the JSON they travel in."""
    return sum(-(-len(to_json(tool)) // 4) for tool in tools)
