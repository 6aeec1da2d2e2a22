"""A request part by part, in the order a provider reads it, and where two requests begin to differ.

A provider's cache holds a request's beginning; whatever comes behind the first part that changed is read anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kram.base import Data
from kram.messages import Block, CompletionRequest, TextBlock, ToolResultBlock, ToolUseBlock, to_json

from .parts import PromptPart
from .reminders import TAG_OPEN


class RequestPart(Data):
    """`name` for a person; `data` the part's own JSON. `passing`: a reminder, which is there for this request only."""

    name: str
    data: bytes
    passing: bool = False


def request_parts(request: CompletionRequest, parts: Sequence[PromptPart] = ()) -> Iterator[RequestPart]:
    """Tools, system segments, then each block of each message. `parts` names the segments where they are known."""
    for tool in request.tools:
        yield RequestPart(name=f"tool {tool.name}", data=to_json(tool))
    names = [part.id for part in parts if part.placement == "preamble"]
    for at, segment in enumerate(request.system):
        name = names[at] if at < len(names) else str(at)
        yield RequestPart(name=f"system {name}", data=to_json(segment))
    for place, message in enumerate(request.messages):
        for block in message.content:
            passing = isinstance(block, TextBlock) and block.text.startswith(f"{TAG_OPEN}\n")
            last = place == len(request.messages) - 1
            yield RequestPart(
                name=f"message {place}, {message.role}, {_kind(block)}", data=to_json(block), passing=passing and last
            )


def first_difference(before: CompletionRequest, after: CompletionRequest, parts: Sequence[PromptPart] = ()) -> str:
    """The name of the first part of `before` that `after` does not repeat in its place; "" where `after` only adds to it.
    Reminders at the end of `before` are not looked at."""
    later = request_parts(after, parts)
    for one in request_parts(before, parts):
        if one.passing:
            continue
        following = next(later, None)
        if following is None or following.data != one.data:
            return one.name
    return ""


def _kind(block: Block) -> str:
    match block:
        case ToolUseBlock():
            return f"call of {block.name}"
        case ToolResultBlock():
            return f"result of {block.tool_name}"
        case TextBlock():
            return "text"
        case _:
            return type(block).__name__.removesuffix("Block").lower()
