"""The one token estimator: shared by the context panel, the trigger of compaction and the gateway's window check.

UTF-8 bytes divided by four, rounded up, until a model's provider has reported what it really took; from then on an `Estimator`
hands out a `Meter` that counts as that model does. It is an estimate and every report says so. A `Meter` holds how texts are
counted and what a message, a call and a request cost beside their text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from kram.messages import Entry, ImageBlock, Kind, TextBlock, ThinkingBlock, ToolSpec, to_json

IMAGE_TOKENS = 1500
"""A flat figure for an image: vendors count 85 to about 1,600 by size and model."""


def estimate(text: str) -> int:
    """Tokens of a text; 0 for an empty one."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // 4)


def estimate_tools(tools: Iterable[ToolSpec]) -> int:
    """Tokens of tool definitions, as the JSON they travel in."""
    return sum(-(-len(to_json(tool)) // 4) for tool in tools)


@dataclass(frozen=True, slots=True, kw_only=True)
class Meter:
    """`count` gives the tokens of a text, `count_tools` those of definitions; `per_message`, `per_call` and `per_request` are
    added for each message, each call and each request (the last may be negative)."""

    count: Callable[[str], int] = estimate
    count_tools: Callable[[Iterable[ToolSpec]], int] = estimate_tools
    per_message: int = 0
    per_call: int = 0
    per_request: int = 0

    def fixed(self, texts: Iterable[str], tools: Iterable[ToolSpec]) -> int:
        """What stands around the history: prompt parts, tool definitions, and what comes on top once a request."""
        parts = sum(self.count(text) + self.per_message for text in texts)
        return max(0, parts + self.count_tools(tools) + self.per_request)

    def entry(self, entry: Entry) -> int:
        """Tokens an entry takes in a request."""
        called = entry.kind == Kind.TOOL_CALL
        total = self.per_call if called else self.per_message
        total += self.count(entry.tool_name) if called or entry.kind == Kind.TOOL_RESULT else 0
        # An assistant's parts hold its text already; everywhere else they come on top of the content.
        if not entry.parts or entry.kind in (Kind.USER, Kind.TOOL_CALL, Kind.TOOL_RESULT):
            total += self.count(entry.content)
        for part in entry.parts:
            match part:
                case TextBlock():
                    total += self.count(part.text)
                case ThinkingBlock():
                    total += self.count(part.thinking or part.redacted)
                case ImageBlock():
                    total += IMAGE_TOKENS
        return total

    def entries(self, entries: Iterable[Entry]) -> int:
        return sum(self.entry(one) for one in entries)


METER = Meter()


def estimate_entry(entry: Entry) -> int:
    """Tokens an entry takes in a request."""
    return METER.entry(entry)


def estimate_entries(entries: Iterable[Entry]) -> int:
    return METER.entries(entries)
