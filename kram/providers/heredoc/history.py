"""A conversation replayed in the heredoc dialect: calls as the text that would have made them, results without ids. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Literal, TypeAlias

import msgspec

from kram.messages import Block, Example, Message, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock
from kram.providers.call_arguments import as_text
from kram.providers.pairs import matched

from .reader import CALL, END

ResultsAs: TypeAlias = Literal["tool", "text"]
"""A message of the role `tool` without an id, which chat templates know, or text of the user, which every vendor takes."""


def call_text(name: str, arguments: str) -> str:
    """A call as three lines. `arguments` is JSON text; blank or broken text is written as an object, as everywhere."""
    return f"{CALL} {name}\n{_spaced(as_text(arguments))}\n{END}"


def replay(messages: Iterable[Message], results: ResultsAs) -> tuple[Message, ...]:
    """The messages without any call block; with `tool` results stay blocks, whose id is ""."""
    return tuple(_replayed(message, results) for message in matched(messages))


def exchanges(examples: Iterable[Example], results: ResultsAs) -> tuple[Message, ...]:
    """Examples as messages in front of the conversation."""
    shown: list[Message] = []
    for number, example in enumerate(examples):
        shown.append(_message("user", TextBlock(text=example.said)))
        if example.tool:
            call = ToolUseBlock(
                id=f"example-{number}", name=example.tool, arguments=json.dumps(dict(example.arguments))
            )
            shown.append(_message("assistant", *_said([call])))
            if example.result:
                result = ToolResultBlock(tool_use_id=call.id, tool_name=call.name, text=example.result)
                shown.append(_message("user", *_told(result, results)))
        if example.answer:
            shown.append(_message("assistant", TextBlock(text=example.answer)))
    return tuple(shown)


def _replayed(message: Message, results: ResultsAs) -> Message:
    if message.role == "assistant":
        return _message("assistant", *_said(message.content))
    return _message("user", *(part for block in message.content for part in _told(block, results)))


def _message(role: Literal["user", "assistant"], *blocks: Block) -> Message:
    return Message(role=role, content=blocks)


def _said(content: Iterable[Block]) -> list[Block]:
    """Reasoning as it is, then everything else as one text."""
    kept: list[Block] = [block for block in content if isinstance(block, ThinkingBlock)]
    texts = [
        call_text(block.name, block.arguments) if isinstance(block, ToolUseBlock) else block.text
        for block in content
        if isinstance(block, ToolUseBlock | TextBlock)
    ]
    return [*kept, *([TextBlock(text="\n".join(texts))] if texts else [])]


def _told(block: Block, results: ResultsAs) -> list[Block]:
    if not isinstance(block, ToolResultBlock):
        return [block]
    if results == "tool":
        return [msgspec.structs.replace(block, tool_use_id="")]
    return [TextBlock(text=f"[result of {block.tool_name or 'the call'}]\n{block.text}"), *block.images]


def _spaced(arguments: str) -> str:
    """JSON with the usual spaces, one way to write it, so that a model sees one way to write it."""
    try:
        return json.dumps(json.loads(arguments), ensure_ascii=False)
    except ValueError:
        return arguments
