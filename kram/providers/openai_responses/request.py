"""A request in the dialect of `POST /responses`: instructions and one flat list of input items, in the order of the
history. Format: the OpenAI API reference, "Create a model response".

Nothing is stored at the provider (`store` is false), so reasoning travels as ciphertext that we send back.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from kram.base import Json, JsonView
from kram.config import Model
from kram.messages import (
    CompletionRequest,
    ImageBlock,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolSpec,
    ToolUseBlock,
)
from kram.providers.call_ids import word_id
from kram.providers.pairs import matched

from .tokens import ReasoningToken, unpack


def build(request: CompletionRequest, model: Model, *, stream: bool = True) -> Json:
    """The JSON body. Unset options are absent. Stop sequences, seed and grammar have no place in this dialect."""
    mode = request.thinking or model.thinking
    effort = request.reasoning_effort or model.reasoning_effort
    reasons = mode != "disabled" and bool(effort or mode)
    body: Json = {
        "model": model.id,
        "input": _items(matched(request.messages), replay=mode != "disabled"),
        "store": False,
    }
    if instructions := request.system_text():
        body["instructions"] = instructions
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
        if request.tool_choice:
            body["tool_choice"] = _tool_choice(request.tool_choice)
    if request.max_tokens:
        body["max_output_tokens"] = request.max_tokens
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if reasons:
        body["reasoning"] = _reasoning(effort, summary=mode == "enabled")
        body["include"] = ["reasoning.encrypted_content"]
    if request.response_format is not None:
        body["text"] = {"format": _text_format(request.response_format)}
    if stream:
        body["stream"] = True
    return body


def _reasoning(effort: str, *, summary: bool) -> Json:
    reasoning: Json = {"effort": effort} if effort else {}
    if summary:
        reasoning["summary"] = "auto"
    return reasoning


def _items(messages: Iterable[Message], *, replay: bool) -> list[Json]:
    items: list[Json] = []
    for message in messages:
        items += _assistant(message, replay=replay) if message.role == "assistant" else _user(message)
    return items


def _assistant(message: Message, *, replay: bool) -> list[Json]:
    """Text and calls in order. Reasoning goes back only where we hold its ciphertext, and only in front of the item it
    belongs to: the API refuses a reasoning item that nothing follows."""
    items: list[Json] = []
    waiting: list[Json] = []
    summary: list[str] = []
    for block in message.content:
        match block:
            case ThinkingBlock():
                token = unpack(block.redacted)
                if token is None:
                    summary += [block.thinking] if block.thinking else []
                elif replay:
                    waiting.append(_reasoning_item(token, summary))
                    summary = []
            case TextBlock():
                if block.text:
                    items += [*waiting, _said(block.text)]
                    waiting, summary = [], []
            case ToolUseBlock():
                items += [*waiting, _call(block)]
                waiting, summary = [], []
            case ImageBlock() | ToolResultBlock():
                continue
    return items


def _reasoning_item(token: ReasoningToken, summary: Iterable[str]) -> Json:
    item: Json = {"type": "reasoning", "id": token.id} if token.id else {"type": "reasoning"}
    item["summary"] = [{"type": "summary_text", "text": text} for text in summary]
    item["encrypted_content"] = token.encrypted
    return item


def _call(block: ToolUseBlock) -> Json:
    return {
        "type": "function_call",
        "call_id": word_id(block.id),
        "name": block.name,
        "arguments": block.arguments.strip() or "{}",
    }


def _said(text: str) -> Json:
    """An earlier answer, as a whole message: servers other than the vendor's do not take the short form."""
    content = {"type": "output_text", "text": text, "annotations": []}
    # The id is of the text alone, so that a history has the same bytes in every request.
    item_id = f"msg_{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"
    return {"type": "message", "id": item_id, "role": "assistant", "status": "completed", "content": [content]}


def _user(message: Message) -> list[Json]:
    """Tool results become items of their own; text and images between them stay together in one message."""
    items: list[Json] = []
    content: list[Json] = []
    for block in message.content:
        match block:
            case ToolResultBlock():
                items += _message(content)
                content = []
                items.append(
                    {"type": "function_call_output", "call_id": word_id(block.tool_use_id), "output": _output(block)}
                )
            case TextBlock():
                if block.text:
                    content.append({"type": "input_text", "text": block.text})
            case ImageBlock():
                content.append(_image(block))
            case ThinkingBlock() | ToolUseBlock():
                continue
    return items + _message(content)


def _message(content: list[Json]) -> list[Json]:
    return [{"role": "user", "content": content}] if content else []


def _output(block: ToolResultBlock) -> str | list[Json]:
    if not block.images:
        return block.text
    text: list[Json] = [{"type": "input_text", "text": block.text}] if block.text else []
    return text + [_image(image) for image in block.images]


def _image(image: ImageBlock) -> Json:
    url = image.url or f"data:{image.media_type};base64,{image.data}"
    return {"type": "input_image", "image_url": url, "detail": "auto"}


def _tool(tool: ToolSpec) -> Json:
    """`strict` is spelled out: left away it is on, and the provider would then rewrite optional parameters as required."""
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": dict(tool.parameters),
        "strict": False,
    }


def _tool_choice(choice: str) -> str | Json:
    return choice if choice in ("auto", "required", "none") else {"type": "function", "name": choice}


def _text_format(wanted: JsonView) -> Json:
    """The Chat Completions shape, or a bare JSON Schema, in the shape of this dialect."""
    kind = wanted.get("type")
    if kind in ("json_object", "text"):
        return {"type": kind}
    inner = wanted.get("json_schema") if kind == "json_schema" else None
    described: JsonView = inner if isinstance(inner, dict) else {"schema": wanted}
    found: Json = {
        "type": "json_schema",
        "name": described.get("name") or "answer",
        "schema": described.get("schema") or {},
    }
    if "strict" in described:
        found["strict"] = described["strict"]
    return found
