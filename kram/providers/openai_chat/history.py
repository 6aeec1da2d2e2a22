"""Messages in the shape of Chat Completions: one system message first, each call's result as a `tool` message directly
behind the assistant that made it, then the user's own words.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from kram.base import Data, Json
from kram.messages import (
    CompletionRequest,
    ImageBlock,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from kram.providers.call_arguments import as_text
from kram.providers.call_ids import FitId, nine_id, short_id
from kram.providers.pairs import matched

from .cache_marks import mark, system_content
from .tokens import unpack

PLACEHOLDER = "…"
"""Content of an assistant message that has none, since many servers refuse an empty one."""

_NO_REASONING = "(no reasoning kept)"


class Replay(Data):
    """What of the reasoning goes back. `field` "" is nothing, `reasoning_details` the signed form; `fill` puts a short text
    where calls came without reasoning, which servers in thinking mode refuse."""

    field: str = "reasoning_content"
    only_recent: bool = False
    fill: bool = False


def conversation(request: CompletionRequest, replay: Replay, quirks: Collection[str]) -> list[Json]:
    """The `messages` of a request."""
    fit = nine_id if "nine_char_ids" in quirks else short_id
    marking = "cache_marks" in quirks and request.dynamic_boundary > 0
    spoken: list[Json] = []
    if request.segments():
        spoken.append({"role": "system", "content": system_content(request) if marking else request.system_text()})
    messages = matched(request.messages)
    recent_from = _last_question(messages) if replay.only_recent else 0
    for place, message in enumerate(messages):
        if message.role == "assistant":
            kept = replay if place >= recent_from else Replay(field="")
            spoken.append(_assistant(message, kept, fit, quirks))
        else:
            spoken += _user(message, fit, quirks)
    if marking:
        mark(spoken)
    return spoken


def _last_question(messages: tuple[Message, ...]) -> int:
    """Where the turn that is going on begins: the last user message with words of its own and no results."""
    for place in range(len(messages) - 1, -1, -1):
        content = messages[place].content
        if messages[place].role == "user" and not any(isinstance(block, ToolResultBlock) for block in content):
            return place
    return 0


def _assistant(message: Message, replay: Replay, fit: FitId, quirks: Collection[str]) -> Json:
    text = "".join(block.text for block in message.content if isinstance(block, TextBlock))
    calls = [_call(block, fit) for block in message.content if isinstance(block, ToolUseBlock)]
    spoken: Json = {"role": "assistant", "content": text or PLACEHOLDER}
    if calls:
        spoken["content"] = text or ("" if "empty_content" in quirks else None)
        spoken["tool_calls"] = calls
    return spoken | _reasoning([b for b in message.content if isinstance(b, ThinkingBlock)], replay, calls=bool(calls))


def _reasoning(blocks: Iterable[ThinkingBlock], replay: Replay, *, calls: bool) -> Json:
    if not replay.field:
        return {}
    blocks = list(blocks)
    text = "\n\n".join(block.thinking for block in blocks if block.thinking)
    if replay.field == "reasoning_details":
        details = [detail for block in blocks if (detail := _detail(block)) is not None]
        return {"reasoning_details": details} if details else {"reasoning": text} if text else {}
    if not text and calls and replay.fill:
        text = _NO_REASONING
    return {replay.field: text} if text else {}


def _detail(block: ThinkingBlock) -> Json | None:
    """The server's own detail, with the text back in it. Proof that another vendor gave is none here."""
    detail = unpack(block.redacted or block.signature)
    if detail is None or "extra_content" in detail:
        return None
    return detail if block.redacted or not block.thinking else detail | {"text": block.thinking}


def _call(block: ToolUseBlock, fit: FitId) -> Json:
    function = {"name": block.name, "arguments": as_text(block.arguments)}
    call: Json = {"id": fit(block.id), "type": "function", "function": function}
    extra = unpack(block.signature)
    return call | extra if extra is not None and set(extra) == {"extra_content"} else call


def _user(message: Message, fit: FitId, quirks: Collection[str]) -> list[Json]:
    """Results first; their images follow in the user's own message, since tool messages hold text only."""
    results = [block for block in message.content if isinstance(block, ToolResultBlock)]
    spoken = [_result(block, fit, quirks) for block in results]
    parts: list[Json] = []
    for result in results:
        if result.images:
            parts += [_text(f"Image from {result.tool_name or 'the tool'}:"), *map(_image, result.images)]
    for block in message.content:
        if isinstance(block, TextBlock) and block.text:
            parts.append(_text(block.text))
        elif isinstance(block, ImageBlock):
            parts.append(_image(block))
    if not parts:
        return spoken
    if spoken and "assistant_after_tool" in quirks:
        spoken.append({"role": "assistant", "content": PLACEHOLDER})
    only_text = all(part["type"] == "text" for part in parts)
    content = "\n\n".join(part["text"] for part in parts) if only_text else parts
    return [*spoken, {"role": "user", "content": content}]


def _result(block: ToolResultBlock, fit: FitId, quirks: Collection[str]) -> Json:
    text = block.text or ("(see the image below)" if block.images else "")
    result: Json = {"role": "tool", "content": text}
    if block.tool_use_id:
        result["tool_call_id"] = fit(block.tool_use_id)
    if "name_in_results" in quirks and block.tool_name:
        result["name"] = block.tool_name
    return result


def _text(text: str) -> Json:
    return {"type": "text", "text": text}


def _image(image: ImageBlock) -> Json:
    url = image.url or f"data:{image.media_type};base64,{image.data}"
    return {"type": "image_url", "image_url": {"url": url}}
