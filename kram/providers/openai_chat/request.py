"""A request in the dialect of `POST /chat/completions`. Format: the OpenAI API reference, "Create chat completion"; where
other servers want it otherwise is data in `kram.providers.compat`.
"""

from __future__ import annotations

from collections.abc import Collection

from kram.base import Json, JsonView
from kram.config import Model
from kram.messages import CompletionRequest, ToolSpec

from .history import Replay, conversation

_FORMATS = ("text", "json_object", "json_schema")


def build(
    request: CompletionRequest, model: Model, *, stream: bool = True, quirks: Collection[str] | None = None
) -> Json:
    """The JSON body. Unset options are absent. `quirks` None: only those the model names."""
    quirks = model.quirks if quirks is None else quirks
    mode = request.thinking or model.thinking
    effort = "" if mode == "disabled" else request.reasoning_effort or model.reasoning_effort
    replay = Replay(
        field=_replay_field(quirks, mode),
        only_recent="recent_reasoning" in quirks,
        fill=mode == "enabled" or bool(effort),
    )
    body: Json = {"model": model.id, "messages": conversation(request, replay, quirks)}
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
        if request.tool_choice:
            body["tool_choice"] = _tool_choice(request.tool_choice)
    if request.max_tokens:
        body[_cap_field(model, quirks)] = request.max_tokens
    body |= _sampling(request, quirks)
    body |= _reasoning(request, mode, effort, quirks)
    if request.response_format is not None:
        body["response_format"] = _response_format(request.response_format)
    if request.grammar and "llama_options" in quirks:
        body["grammar"] = request.grammar
    body["stream"] = stream
    if stream and "no_stream_options" not in quirks:
        body["stream_options"] = {"include_usage": True}
    return body


def _cap_field(model: Model, quirks: Collection[str]) -> str:
    newer = "max_completion_tokens" in quirks or model.max_tokens_field == "max_completion_tokens"
    return "max_completion_tokens" if newer else "max_tokens"


def _sampling(request: CompletionRequest, quirks: Collection[str]) -> Json:
    fields: Json = {}
    if "fixed_sampling" not in quirks:
        if request.temperature is not None:
            fields["temperature"] = request.temperature
        if request.stop:
            fields["stop"] = list(request.stop)
    if request.seed is not None and "no_seed" not in quirks:
        fields["seed"] = request.seed
    return fields


def _reasoning(request: CompletionRequest, mode: str, effort: str, quirks: Collection[str]) -> Json:
    """Mode, effort and budget, in the fields this server has for them."""
    budget = request.reasoning_budget if mode != "disabled" else 0
    if "reasoning_object" in quirks:
        return _reasoning_object(mode, effort, budget)
    fields: Json = {"reasoning_effort": effort} if effort else {}
    if "llama_options" in quirks:
        if budget > 0:
            fields["reasoning_budget_tokens"] = budget
        if mode:
            fields["chat_template_kwargs"] = {"enable_thinking": mode == "enabled"}
    if "no_thinking_field" not in quirks:
        if mode:
            fields["thinking"] = {"type": mode}
        if budget > 0 and "llama_options" not in quirks:
            fields["thinking"] = {"type": "enabled", "budget_tokens": budget}
    return fields


def _reasoning_object(mode: str, effort: str, budget: int) -> Json:
    if mode == "disabled":
        return {"reasoning": {"enabled": False}}
    if budget > 0:
        return {"reasoning": {"max_tokens": budget}}
    if effort:
        return {"reasoning": {"effort": effort}}
    return {"reasoning": {"enabled": True}} if mode == "enabled" else {}


def _replay_field(quirks: Collection[str], mode: str) -> str:
    if "no_reasoning_replay" in quirks or mode == "disabled":
        return ""
    if "reasoning_details" in quirks:
        return "reasoning_details"
    return "reasoning" if "replay_as_reasoning" in quirks else "reasoning_content"


def _tool(tool: ToolSpec) -> Json:
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return {"type": "function", "function": function}


def _tool_choice(choice: str) -> str | Json:
    return choice if choice in ("auto", "required", "none") else {"type": "function", "function": {"name": choice}}


def _response_format(wanted: JsonView) -> Json:
    """The dialect's own shapes as they are, a bare JSON Schema wrapped."""
    if wanted.get("type") in _FORMATS:
        return dict(wanted)
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": dict(wanted)}}
