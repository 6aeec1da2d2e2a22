"""The prompt inspector: each part of the next request with where it stands, how often it may change, its source and size,
the line behind which a prompt cache ends, and the exact body that would be sent."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial

from kram.agent import Inspection
from kram.base import one_line
from kram.context import PromptPart, estimate, estimate_tools
from kram.messages import Block as WireBlock
from kram.messages import (
    ImageBlock,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolSpec,
    ToolUseBlock,
    to_plain,
)
from kram.tui.blocks import Block, SectionBlock


def inspector_blocks(found: Inspection) -> list[Block]:
    """Everything of the request, in the order it is sent."""
    request = found.request
    blocks: list[Block] = [
        SectionBlock("head", f"The next request to {found.model}", f"about {found.tokens:,} tokens"),
        *_parts([part for part in found.prompt.parts if part.placement == "preamble"], found.prompt.dynamic_boundary),
        SectionBlock("tools", "Tools", f"{len(request.tools)}, {estimate_tools(request.tools):,} tokens"),
        *map(_tool, request.tools),
        SectionBlock("history", "Messages", f"{len(request.messages)}"),
        *(_message(place, message) for place, message in enumerate(request.messages, start=1)),
    ]
    after = [part for part in found.prompt.parts if part.placement == "post-history"]
    if after:
        blocks += [SectionBlock("after", "Reminders, on the last message"), *map(_part, after)]
    if found.body is not None:
        text = partial(json.dumps, found.body, indent=2, ensure_ascii=False)
        blocks += [SectionBlock("exact", "As it is sent"), SectionBlock("body", "the body, as JSON", "", text)]
    return blocks


def _parts(parts: Sequence[PromptPart], boundary: int) -> Iterator[Block]:
    yield SectionBlock("preamble", "System", f"{sum(part.tokens for part in parts):,} tokens")
    yield from map(_part, parts[:boundary])
    yield SectionBlock("boundary", "┄┄ cache boundary: what stands above stays the same from call to call ┄┄")
    yield from map(_part, parts[boundary:])


def _part(part: PromptPart) -> Block:
    note = f"{part.refresh} · {part.source} · {part.tokens:,} tokens"
    return SectionBlock(f"part:{part.id}", part.id, note, partial(str, part.content))


def _tool(tool: ToolSpec) -> Block:
    text = partial(json.dumps, to_plain(tool), indent=2, ensure_ascii=False)
    return SectionBlock(f"tool:{tool.name}", tool.name, f"{estimate_tools([tool]):,} tokens", text)


def _message(place: int, message: Message) -> Block:
    text = "\n".join(map(_said, message.content))
    first = one_line(text, 60)
    return SectionBlock(
        f"message:{place}", f"{place}. {message.role}", f"{estimate(text):,} tokens · {first}", lambda: text
    )


def _said(block: WireBlock) -> str:
    match block:
        case TextBlock():
            return block.text
        case ThinkingBlock():
            return f"[thinking]\n{block.thinking}" if block.thinking else "[thinking, encrypted]"
        case ToolUseBlock():
            return f"[call {block.id}] {block.name} {block.arguments or '{}'}"
        case ToolResultBlock():
            return f"[result of {block.tool_use_id}]{' (error)' if block.is_error else ''}\n{block.text}"
        case ImageBlock():
            return f"[image {block.media_type}]"
