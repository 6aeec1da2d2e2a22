"""The last stage of every view: each call has exactly one result, right after it and in call order.

Calls without a result and results without an earlier call are dropped; nothing is invented here (what a crash or an
interruption left open gets its result when the session is restored). A well-formed list passes unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence

from kram.messages import Block, Message, ThinkingBlock, ToolResultBlock, ToolUseBlock


def pair(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Messages that any vendor accepts; the input is not changed."""
    results = _first_results(messages)
    paired: list[Message] = []
    for message in messages:
        if message.role == "assistant":
            kept = tuple(b for b in message.content if not isinstance(b, ToolUseBlock) or b.id in results)
            if _says_nothing(kept):
                continue
            _join(paired, Message(role="assistant", content=kept))
            answers: tuple[Block, ...] = tuple(results[b.id] for b in kept if isinstance(b, ToolUseBlock))
            if answers:
                _join(paired, Message(role="user", content=answers))
        else:
            rest = tuple(b for b in message.content if not isinstance(b, ToolResultBlock))
            if rest:
                _join(paired, Message(role="user", content=rest))
    return tuple(paired)


def _first_results(messages: Sequence[Message]) -> dict[str, ToolResultBlock]:
    """Call id -> its first result, counting only results that come after their call."""
    seen: set[str] = set()
    results: dict[str, ToolResultBlock] = {}
    for message in messages:
        for block in message.content:
            if isinstance(block, ToolUseBlock):
                seen.add(block.id)
            elif isinstance(block, ToolResultBlock) and block.tool_use_id in seen:
                results.setdefault(block.tool_use_id, block)
    return results


def _says_nothing(blocks: tuple[Block, ...]) -> bool:
    """Whether only thinking is left, which no vendor takes as a message of its own."""
    return all(isinstance(block, ThinkingBlock) for block in blocks)


def _join(messages: list[Message], message: Message) -> None:
    if messages and messages[-1].role == message.role:
        last = messages.pop()
        message = Message(role=last.role, content=(*last.content, *message.content))
    messages.append(message)
