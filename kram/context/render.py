"""Entries to wire messages: the grouping rules.

Assistant text and the calls after it become one assistant message; results become blocks of a user message; a
compaction is a user message framed as reference, a notification a user message with its tag. Two messages of one role
in a row are joined, since several vendors insist on alternation.
"""

from __future__ import annotations

from collections.abc import Iterable

from kram.messages import (
    Block,
    Entry,
    ImageBlock,
    Kind,
    Message,
    Role,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)

COMPACTED = "[compacted]\n"


def render(entries: Iterable[Entry], *, images: bool = True) -> tuple[Message, ...]:
    """Messages in the order of the entries; with `images` False pictures are left out."""
    groups: list[tuple[Role, list[Block]]] = []
    for entry in entries:
        role, blocks = _blocks(entry, images=images)
        if not blocks:
            continue
        if groups and groups[-1][0] == role:
            groups[-1][1].extend(blocks)
        else:
            groups.append((role, blocks))
    return tuple(Message(role=role, content=tuple(blocks)) for role, blocks in groups)


def _blocks(entry: Entry, *, images: bool) -> tuple[Role, list[Block]]:
    match entry.kind:
        case Kind.ASSISTANT:
            return "assistant", _said(entry) or _text(entry.content)
        case Kind.TOOL_CALL:
            call = ToolUseBlock(
                id=entry.tool_call_id or entry.id,
                name=entry.tool_name,
                arguments=entry.content,
                signature=entry.signature,
            )
            return "assistant", [*_said(entry), call]
        case Kind.TOOL_RESULT:
            return "user", [_result(entry, images=images)]
        case Kind.USER:
            pictures = [part for part in entry.parts if isinstance(part, ImageBlock)] if images else []
            return "user", [*_text(entry.content), *pictures]
        case Kind.COMPACTION:
            return "user", _text(COMPACTED + entry.content)
        case _:
            return "user", _text(f"[{entry.tag or entry.kind}] {entry.content}")


def _text(text: str) -> list[Block]:
    return [TextBlock(text=text)] if text else []


def _said(entry: Entry) -> list[Block]:
    """Thinking and text of an assistant, in the order they came."""
    return [part for part in entry.parts if isinstance(part, TextBlock | ThinkingBlock)]


def _result(entry: Entry, *, images: bool) -> ToolResultBlock:
    text = entry.content
    if entry.is_error and not text.startswith("ERROR:"):
        text = f"ERROR: {text}"
    pictures = tuple(part for part in entry.parts if isinstance(part, ImageBlock)) if images else ()
    return ToolResultBlock(
        tool_use_id=entry.tool_call_id or entry.id,
        tool_name=entry.tool_name,
        text=text,
        images=pictures,
        is_error=entry.is_error,
    )
