"""The adapters' own cheap check that calls and results belong together. The context pipeline guarantees it; a request that
breaks it would be refused whole by every vendor, so what does not fit is left out here.

Some models number their calls anew in every answer ("0", "functions.read:0"); a number used before gets a suffix.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from kram.messages import Block, Message, ToolResultBlock, ToolUseBlock


def matched(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Messages where each call has an id of its own and is answered exactly once before the assistant speaks again.

    Other calls and results are gone, but for results with the id "", whose calls were replayed as text. Messages left
    without a block are kept, empty: what that means is the dialect's business.
    """
    given = tuple(messages)
    kept: list[Message] = []
    used: set[str] = set()
    due: dict[str, str] = {}
    for place, message in enumerate(given):
        if message.role == "assistant":
            due = _own_ids(_calls_answered(given, place), used)
            left = dict(due)
            content = [block for one in message.content for block in _call(one, left)]
        else:
            content = [block for one in message.content for block in _result(one, due)]
        kept.append(Message(role=message.role, content=tuple(content)))
    return tuple(kept)


def _call(block: Block, left: dict[str, str]) -> list[Block]:
    """The block with its id of its own; nothing for an unanswered or repeated call, or for a result in the wrong place."""
    if isinstance(block, ToolUseBlock):
        own = left.pop(block.id, None)
        return [] if own is None else [msgspec.structs.replace(block, id=own)]
    return [] if isinstance(block, ToolResultBlock) else [block]


def _result(block: Block, due: dict[str, str]) -> list[Block]:
    if isinstance(block, ToolResultBlock) and block.tool_use_id:
        own = due.pop(block.tool_use_id, None)
        return [] if own is None else [msgspec.structs.replace(block, tool_use_id=own)]
    return [] if isinstance(block, ToolUseBlock) else [block]


def _calls_answered(messages: tuple[Message, ...], place: int) -> list[str]:
    """The ids of an assistant's calls that the user messages right behind it answer."""
    answers: set[str] = set()
    for message in messages[place + 1 :]:
        if message.role == "assistant":
            break
        answers |= {block.tool_use_id for block in message.content if isinstance(block, ToolResultBlock)}
    return [call.id for call in messages[place].tool_uses() if call.id in answers]


def _own_ids(ids: Iterable[str], used: set[str]) -> dict[str, str]:
    """Each id with the one it travels under; `used` grows."""
    own: dict[str, str] = {}
    for call_id in ids:
        if call_id in own:
            continue
        unique, number = call_id, 2
        while unique in used:
            unique, number = f"{call_id}_{number}", number + 1
        used.add(unique)
        own[call_id] = unique
    return own
