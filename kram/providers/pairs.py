"""The adapters' own cheap check that calls and results belong together. The context pipeline guarantees it; a request that
breaks it would be refused whole by every vendor, so what does not fit is left out here.
"""

from __future__ import annotations

from collections.abc import Iterable

from kram.messages import Message, ToolResultBlock, ToolUseBlock


def matched(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Messages where each call is answered exactly once before the assistant speaks again; others calls and results are gone.

    Messages left without a block are kept, empty: what that means is the dialect's business.
    """
    given = tuple(messages)
    answered = [_answered_after(given, place) for place in range(len(given))]
    kept: list[Message] = []
    open_calls: set[str] = set()
    for message, answers in zip(given, answered, strict=True):
        if message.role == "assistant":
            open_calls = set()
        content = []
        for block in message.content:
            if isinstance(block, ToolUseBlock):
                if message.role != "assistant" or block.id not in answers or block.id in open_calls:
                    continue
                open_calls.add(block.id)
            elif isinstance(block, ToolResultBlock):
                if message.role != "user" or block.tool_use_id not in open_calls:
                    continue
                open_calls.discard(block.tool_use_id)
            content.append(block)
        kept.append(Message(role=message.role, content=tuple(content)))
    return tuple(kept)


def _answered_after(messages: tuple[Message, ...], place: int) -> set[str]:
    """The ids that the user messages right behind an assistant message answer."""
    if messages[place].role != "assistant":
        return set()
    found: set[str] = set()
    for message in messages[place + 1 :]:
        if message.role == "assistant":
            break
        found |= {block.tool_use_id for block in message.content if isinstance(block, ToolResultBlock)}
    return found
