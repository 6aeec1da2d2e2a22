"""A request in the dialect of `POST /v1/messages`. Format: the Anthropic API reference, "Create a Message".

Two strictly alternating roles, beginning with the user; results of tools lead the user message behind their calls.
"""

from __future__ import annotations

from collections.abc import Collection

from kram.base import Json, JsonView
from kram.config import Model
from kram.messages import CompletionRequest, Message, ToolSpec
from kram.providers.compat import adjusted, default_quirks

from .history import conversation
from .thinking import Thinking, decide

DEFAULT_MAX_TOKENS = 8192
MAX_TOKENS_CAP = 32_000
"""What an unset output cap becomes at most: room for a big file, without reserving a whole window of 128,000."""

_EPHEMERAL: Json = {"type": "ephemeral"}


def build(
    request: CompletionRequest, model: Model, *, stream: bool = True, quirks: Collection[str] | None = None
) -> Json:
    """The JSON body. Unset options are absent. Seed and grammar have no place in this dialect.

    `quirks` None: those of the model's id at the vendor's own server.
    """
    if quirks is None:
        quirks = adjusted(default_quirks("anthropic", "", model.id), model.quirks)
    max_tokens = request.max_tokens or (
        min(model.max_output, MAX_TOKENS_CAP) if model.max_output else DEFAULT_MAX_TOKENS
    )
    thinking = decide(request, model, max_tokens, adaptive="adaptive_thinking" in quirks)
    if thinking.on and "shown_thinking" in quirks:
        thinking.field["display"] = "summarized"
    caching = request.dynamic_boundary > 0
    body: Json = {
        "model": model.id,
        "max_tokens": thinking.max_tokens,
        "messages": conversation(request.messages, keep_thinking=thinking.replay, mark=caching),
    }
    if system := _system(request):
        body["system"] = system
    body |= _tools(request, thinking)
    if thinking.field:
        body["thinking"] = thinking.field
    if "no_output_config" not in quirks and (config := _output_config(request, model)):
        body["output_config"] = config
    if request.temperature is not None and not thinking.on and "fixed_sampling" not in quirks:
        body["temperature"] = request.temperature
    if stops := [stop for stop in request.stop if stop.strip()]:
        body["stop_sequences"] = stops
    body["stream"] = stream
    return body


def _system(request: CompletionRequest) -> list[Json]:
    """One block, or two with the cache mark on the stable one; the mark covers the tools too, which come before it."""
    stable = [text for text in (part.strip() for part in request.system[: max(0, request.dynamic_boundary)]) if text]
    rest = [text for text in (part.strip() for part in request.system[max(0, request.dynamic_boundary) :]) if text]
    blocks: list[Json] = []
    if stable:
        blocks.append({"type": "text", "text": "\n\n".join(stable), "cache_control": dict(_EPHEMERAL)})
    if rest:
        blocks.append({"type": "text", "text": "\n\n".join(rest)})
    return blocks


def _tools(request: CompletionRequest, thinking: Thinking) -> Json:
    """Tools and the choice among them. A history with calls needs tools even where none may be called any more."""
    if request.tools:
        fields: Json = {"tools": [_tool(tool) for tool in request.tools]}
        if request.tool_choice:
            fields["tool_choice"] = _tool_choice(request.tool_choice)
        return fields
    names = _called_names(request.messages)
    if not names:
        return {}
    stubs = [{"name": name, "description": "Not available now.", "input_schema": {"type": "object"}} for name in names]
    return {"tools": stubs, "tool_choice": {"type": "none"}}


def _called_names(messages: tuple[Message, ...]) -> list[str]:
    return sorted({call.name for message in messages for call in message.tool_uses()})


def _tool(tool: ToolSpec) -> Json:
    schema = dict(tool.parameters)
    schema.setdefault("type", "object")
    return {"name": tool.name, "description": tool.description, "input_schema": schema}


def _tool_choice(choice: str) -> Json:
    kinds = {"auto": "auto", "required": "any", "none": "none"}
    return {"type": kinds[choice]} if choice in kinds else {"type": "tool", "name": choice}


def _output_config(request: CompletionRequest, model: Model) -> Json:
    config: Json = {}
    if effort := request.reasoning_effort or model.reasoning_effort:
        config["effort"] = {"minimal": "low", "none": "low"}.get(effort, effort)
    if request.response_format is not None and (schema := _schema(request.response_format)) is not None:
        config["format"] = {"type": "json_schema", "schema": schema}
    return config


def _schema(wanted: JsonView) -> Json | None:
    """The JSON Schema in the Chat Completions shape or a bare one; None for formats that name no schema."""
    if wanted.get("type") in ("text", "json_object"):
        return None
    inner = wanted.get("json_schema") if wanted.get("type") == "json_schema" else None
    schema = inner.get("schema") if isinstance(inner, dict) else wanted.get("schema", wanted)
    return dict(schema) if isinstance(schema, dict) else None
