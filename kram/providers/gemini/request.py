"""A request in the dialect of `models/*:generateContent`. Format: the Gemini API reference, "Generating content".

Two roles, `user` and `model`; a call is a `functionCall` part, its result a `functionResponse` part of the user. Thought
signatures go back on the part they came with.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

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
from kram.providers.pairs import matched

from .schema import sanitise
from .tokens import is_own_call_id, unpack

_UNSIGNED = re.compile(r"gemini-[12]\b|gemma|learnlm")
_UNCHECKED_SIGNATURE = "skip_thought_signature_validator"
"""Documented by Google for calls that another model wrote: Gemini 3 refuses a call of its own turn without any."""

_BUDGETS = {"none": 0, "minimal": 512, "low": 2048, "medium": 8192, "high": 24576, "xhigh": 32768}
_LEVELS = {"none": "minimal", "xhigh": "high", "max": "high"}


def build(request: CompletionRequest, model: Model) -> Json:
    """The JSON body; whether it streams is decided by the URL. Unset options are absent."""
    body: Json = {"contents": list(_contents(matched(request.messages), model))}
    if system := request.system_text():
        body["systemInstruction"] = {"parts": [{"text": system}]}
    if request.tools:
        body["tools"] = [{"functionDeclarations": [_declaration(tool) for tool in request.tools]}]
        if request.tool_choice:
            body["toolConfig"] = {"functionCallingConfig": _calling(request.tool_choice)}
    if generation := _generation(request, model):
        body["generationConfig"] = generation
    return body


def _generation(request: CompletionRequest, model: Model) -> Json:
    config: Json = {}
    if request.max_tokens:
        config["maxOutputTokens"] = request.max_tokens
    if request.temperature is not None:
        config["temperature"] = request.temperature
    if request.seed is not None:
        config["seed"] = request.seed
    if request.stop:
        config["stopSequences"] = list(request.stop)
    if thinking := _thinking(request, model):
        config["thinkingConfig"] = thinking
    if request.response_format is not None:
        config |= _response_format(request.response_format)
    return config


def _thinking(request: CompletionRequest, model: Model) -> Json:
    """Gemini 3 takes a level, Gemini 2.5 a budget in tokens (0 is off, but 2.5 Pro goes no lower than 128)."""
    mode = request.thinking or model.thinking
    effort = request.reasoning_effort or model.reasoning_effort
    by_budget = "gemini-2.5" in model.id
    if mode == "disabled":
        if by_budget:
            return {"thinkingBudget": 128 if "pro" in model.id else 0}
        return {} if _UNSIGNED.search(model.id) else {"thinkingLevel": "low"}
    config: Json = {"includeThoughts": True} if mode == "enabled" else {}
    if request.reasoning_budget:
        config["thinkingBudget"] = request.reasoning_budget
    elif effort and by_budget and effort in _BUDGETS:
        config["thinkingBudget"] = max(_BUDGETS[effort], 128 if "pro" in model.id else 0)
    elif effort and not by_budget:
        config["thinkingLevel"] = _LEVELS.get(effort, effort)
    return config


def _contents(messages: Iterable[Message], model: Model) -> Iterator[Json]:
    names: dict[str, str] = {}
    for message in messages:
        names |= {call.id: call.name for call in message.tool_uses()}
        parts = _model_parts(message, model) if message.role == "assistant" else _user_parts(message, names)
        if parts:
            yield {"role": "model" if message.role == "assistant" else "user", "parts": parts}


def _model_parts(message: Message, model: Model) -> list[Json]:
    """A signature that stood on a text part was read as a thinking block of its own in front of that text."""
    parts: list[Json] = []
    signature = ""
    signed_call = False
    for block in message.content:
        match block:
            case ThinkingBlock():
                parts += _signed_text(signature)
                signature = unpack(block.signature)
                if signature and block.thinking:
                    parts.append({"text": block.thinking, "thought": True, "thoughtSignature": signature})
                    signature = ""
            case TextBlock():
                if block.text:
                    parts.append({"text": block.text} | ({"thoughtSignature": signature} if signature else {}))
                    signature = ""
            case ToolUseBlock():
                parts += _signed_text(signature)
                signature = ""
                parts.append(_call(block, unsigned=signed_call or bool(_UNSIGNED.search(model.id))))
                signed_call = True
            case ImageBlock() | ToolResultBlock():
                continue
    return parts + _signed_text(signature)


def _signed_text(signature: str) -> list[Json]:
    return [{"text": "", "thoughtSignature": signature}] if signature else []


def _call(block: ToolUseBlock, *, unsigned: bool) -> Json:
    call: Json = {"name": block.name, "args": _arguments(block.arguments)}
    if block.id and not is_own_call_id(block.id):
        call["id"] = block.id
    signature = unpack(block.signature) or ("" if unsigned else _UNCHECKED_SIGNATURE)
    return {"functionCall": call} | ({"thoughtSignature": signature} if signature else {})


def _arguments(text: str) -> Json:
    """Arguments must be an object here; text that is none is handed over as it is, under a name of its own."""
    if not text.strip():
        return {}
    parsed = _object(text)
    return {"unparsed_arguments": text} if parsed is None else parsed


def _user_parts(message: Message, names: dict[str, str]) -> list[Json]:
    """Results first: the API wants all answers to a turn's calls directly behind it."""
    results: list[Json] = []
    rest: list[Json] = []
    for block in message.content:
        match block:
            case ToolResultBlock():
                results.append(_result(block, block.tool_name or names.get(block.tool_use_id, "")))
                rest += [_image(image) for image in block.images]
            case TextBlock():
                rest += [{"text": block.text}] if block.text else []
            case ImageBlock():
                rest.append(_image(block))
            case ThinkingBlock() | ToolUseBlock():
                continue
    return results + rest


def _result(block: ToolResultBlock, name: str) -> Json:
    response = _object(block.text)
    if response is None:
        response = {"error" if block.is_error else "result": block.text}
    answer: Json = {"name": name or "unknown", "response": response}
    if block.tool_use_id and not is_own_call_id(block.tool_use_id):
        answer["id"] = block.tool_use_id
    return {"functionResponse": answer}


def _object(text: str) -> Json | None:
    if not text.lstrip().startswith("{"):
        return None
    try:
        parsed = json.loads(text)
    except ValueError:
        return None
    return parsed if isinstance(parsed, dict) else None


def _image(image: ImageBlock) -> Json:
    if image.url:
        return {"fileData": {"mimeType": image.media_type, "fileUri": image.url}}
    return {"inlineData": {"mimeType": image.media_type, "data": image.data}}


def _declaration(tool: ToolSpec) -> Json:
    """A tool without parameters has no `parameters` at all: an object without properties is refused."""
    schema = sanitise(tool.parameters)
    declared: Json = {"name": tool.name, "description": tool.description}
    return declared | ({"parameters": schema} if schema.get("properties") else {})


def _calling(choice: str) -> Json:
    modes = {"auto": "AUTO", "required": "ANY", "none": "NONE"}
    return {"mode": modes[choice]} if choice in modes else {"mode": "ANY", "allowedFunctionNames": [choice]}


def _response_format(wanted: JsonView) -> Json:
    """JSON output: the Chat Completions shape or a bare JSON Schema, in Gemini's words."""
    kind = wanted.get("type")
    if kind == "text":
        return {}
    if kind == "json_object":
        return {"responseMimeType": "application/json"}
    inner = wanted.get("json_schema") if kind == "json_schema" else None
    schema = inner.get("schema", {}) if isinstance(inner, dict) else wanted.get("schema", wanted)
    return {"responseMimeType": "application/json", "responseSchema": sanitise(schema)}
