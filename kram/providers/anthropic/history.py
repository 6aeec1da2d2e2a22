"""Messages in the shape the Messages API insists on: two alternating roles, the user first, results in front of other user
content, no blank text, no thinking that another vendor made, call ids of letters and digits.
"""

from __future__ import annotations

from collections.abc import Iterable

from kram.base import Json
from kram.messages import (
    ImageBlock,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from kram.providers.call_arguments import as_object
from kram.providers.call_ids import word_id
from kram.providers.pairs import matched

from .thinking import is_own

_MARKED_MESSAGES = 2
"""The newest user message, and the one before it, whose mark is where the previous request ended."""

_REMINDER = "<system-reminder>"
_CONTINUE = "(The conversation so far was cut here.)"


def conversation(messages: Iterable[Message], *, keep_thinking: bool, mark: bool) -> list[Json]:
    """The `messages` of a request; with `mark` the newest user messages carry cache marks."""
    spoken: list[Json] = []
    for message in matched(messages):
        content = _assistant(message, keep_thinking) if message.role == "assistant" else _user(message)
        if not content:
            continue
        if spoken and spoken[-1]["role"] == message.role:
            spoken[-1]["content"] = _in_order(message.role, spoken[-1]["content"] + content)
        else:
            spoken.append({"role": message.role, "content": content})
    if spoken and spoken[0]["role"] == "assistant":
        spoken.insert(0, {"role": "user", "content": [{"type": "text", "text": _CONTINUE}]})
    _trim_prefill(spoken)
    if mark:
        _mark(spoken)
    return spoken


def _assistant(message: Message, keep_thinking: bool) -> list[Json]:
    """Blocks in their order. A message that only thinks says nothing and is left out."""
    content: list[Json] = []
    for block in message.content:
        match block:
            case TextBlock():
                content += _text(block.text)
            case ToolUseBlock():
                content.append(
                    {
                        "type": "tool_use",
                        "id": word_id(block.id),
                        "name": block.name,
                        "input": as_object(block.arguments),
                    }
                )
            case ThinkingBlock():
                if keep_thinking and is_own(block):
                    content.append(_thinking(block))
            case ImageBlock() | ToolResultBlock():
                continue
    return content if any(part["type"] in ("text", "tool_use") for part in content) else []


def _user(message: Message) -> list[Json]:
    results: list[Json] = []
    rest: list[Json] = []
    for block in message.content:
        match block:
            case ToolResultBlock():
                results.append(_result(block))
            case TextBlock():
                rest += _text(block.text)
            case ImageBlock():
                rest.append(_image(block))
            case ThinkingBlock() | ToolUseBlock():
                continue
    return results + rest


def _in_order(role: str, content: list[Json]) -> list[Json]:
    if role == "assistant":
        return content
    return sorted(content, key=lambda part: part["type"] != "tool_result")


def _text(text: str) -> list[Json]:
    """Text without anything visible is refused by the API."""
    return [{"type": "text", "text": text}] if text.strip() else []


def _thinking(block: ThinkingBlock) -> Json:
    if block.redacted:
        return {"type": "redacted_thinking", "data": block.redacted}
    return {"type": "thinking", "thinking": block.thinking, "signature": block.signature}


def _result(block: ToolResultBlock) -> Json:
    result: Json = {"type": "tool_result", "tool_use_id": word_id(block.tool_use_id)}
    if block.images:
        result["content"] = _text(block.text) + [_image(image) for image in block.images]
    else:
        result["content"] = block.text
    if block.is_error:
        result["is_error"] = True
    return result


def _image(image: ImageBlock) -> Json:
    if image.url:
        return {"type": "image", "source": {"type": "url", "url": image.url}}
    return {"type": "image", "source": {"type": "base64", "media_type": image.media_type, "data": image.data}}


def _trim_prefill(spoken: list[Json]) -> None:
    """An answer that is to be continued must not end in white space."""
    if spoken and spoken[-1]["role"] == "assistant":
        last = spoken[-1]["content"][-1]
        if last["type"] == "text":
            last["text"] = last["text"].rstrip()


def _mark(spoken: list[Json]) -> None:
    """Marks the last lasting block of the newest user messages. Reminders change from call to call, so never on those."""
    left = _MARKED_MESSAGES
    for message in reversed(spoken):
        if message["role"] != "user" or not left:
            continue
        lasting = next((part for part in reversed(message["content"]) if _lasts(part)), None)
        if lasting is not None:
            lasting["cache_control"] = {"type": "ephemeral"}
            left -= 1


def _lasts(part: Json) -> bool:
    return part["type"] != "text" or not str(part["text"]).startswith(_REMINDER)
