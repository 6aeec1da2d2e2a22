"""Stored entries as blocks, and which block that streamed may stay when its entry arrives. All of it pure."""

from __future__ import annotations

from collections.abc import Sequence

from kram.messages import Entry, ImageBlock, Part, TextBlock, ThinkingBlock

from .blocks import AssistantBlock, Block, NoticeBlock, ToolBlock, UserBlock
from .blocks import ThinkingBlock as Thought


def user_block(entry: Entry, *, steered: bool) -> UserBlock:
    pictures = [part for part in entry.parts if isinstance(part, ImageBlock)]
    images = tuple(f"[image {number}: {_image_size(one)}]" for number, one in enumerate(pictures, start=1))
    return UserBlock(entry.id, entry.content, images=images, steered=steered, at_ns=entry.created_at)


def said_blocks(entry: Entry, parts: Sequence[Part], *, led: bool) -> list[Block]:
    """Thinking and text in the order they came; neighbours of one kind are one block. `led`: the answer has its name
    already."""
    blocks: list[Block] = []
    shown = entry.details.get("shown")
    if isinstance(shown, str):
        parts = [*(part for part in parts if isinstance(part, ThinkingBlock)), TextBlock(text=shown)]
    for kind, text, hidden in _merged(parts):
        key = f"{entry.id}:{len(blocks)}"
        if kind == "thinking":
            blocks.append(Thought(key, text, hidden=hidden, at_ns=entry.created_at))
        elif text.strip():
            blocks.append(AssistantBlock(key, text, lead=not led, at_ns=entry.created_at))
            led = True
    if entry.status == "interrupted":
        last = next((block for block in reversed(blocks) if isinstance(block, AssistantBlock)), None)
        if last is None:
            last = AssistantBlock(f"{entry.id}:cut", lead=not led, at_ns=entry.created_at)
            blocks.append(last)
        last.interrupted = True
    return blocks


def alike(live: Block, stored: Block) -> bool:
    if isinstance(stored, ToolBlock):
        return isinstance(live, ToolBlock)
    return type(live) is type(stored)


def reused(live: Block, stored: Block) -> Block:
    """The live block where it shows the same text, so that nothing is laid out twice; else the stored one."""
    if isinstance(live, AssistantBlock) and isinstance(stored, AssistantBlock) and live.raw == stored.raw:
        live.settle(key=stored.key, at_ns=stored.at_ns, interrupted=stored.interrupted)
        live.lead = stored.lead
        return live
    if isinstance(live, Thought) and isinstance(stored, Thought) and live.raw == stored.raw:
        live.settle(key=stored.key, at_ns=stored.at_ns)
        return live
    stored.folded = live.folded
    return stored


def _merged(parts: Sequence[Part]) -> list[tuple[str, str, bool]]:
    """(thinking or text, its text, whether it is kept private), neighbours of a kind joined."""
    merged: list[tuple[str, str, bool]] = []
    for part in parts:
        if isinstance(part, TextBlock):
            kind, text, hidden, between = "text", part.text, False, ""
        elif isinstance(part, ThinkingBlock):
            kind, text, hidden, between = "thinking", part.thinking, bool(part.redacted), "\n\n"
            if not text and not hidden:
                continue
        else:
            continue
        if merged and merged[-1][0] == kind:
            before = merged[-1]
            joint = between if before[1] and text else ""
            merged[-1] = (kind, before[1] + joint + text, before[2] and hidden)
        else:
            merged.append((kind, text, hidden))
    return merged


def notice_block(entry: Entry) -> NoticeBlock:
    if entry.tag == "interrupted":
        return NoticeBlock(entry.id, "Stopped by you.", level="warning", at_ns=entry.created_at)
    text = f"{entry.tag}: {entry.content}" if entry.tag else entry.content
    return NoticeBlock(entry.id, text, at_ns=entry.created_at)


def _image_size(image: ImageBlock) -> str:
    if image.url:
        return image.url[:80]
    return f"{image.media_type}, {len(image.data) * 3 // 4 // 1024} KB"
