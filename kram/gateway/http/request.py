"""The body of `POST /v1/chat/completions` as our `CompletionRequest`. Pure. Format: the OpenAI API reference, "Create chat
completion".

What would change the shape of the answer and cannot be had is refused (`n`, `logprobs`, `modalities`, `functions`, tools that
are no functions); what only colours it and has no counterpart here is told in `ignored`.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from kram.base import Data, Json, JsonView
from kram.messages import CompletionRequest, TextBlock, ToolResultBlock, ToolSpec, ToolUseBlock

from .conversation import conversation
from .fields import flag, items, number, table, text, whole, wrong
from .problems import Problem

_NAME = re.compile(r"[a-zA-Z0-9_.:-]{1,128}")
_REFUSED = {
    "functions": "Give `tools` instead of `functions`",
    "function_call": "Give `tool_choice` instead of `function_call`",
    "audio": "Only text can be answered",
    "web_search_options": "There is no web search at this endpoint",
}
_UNKNOWN_HERE = (
    "frequency_penalty",
    "logit_bias",
    "min_p",
    "parallel_tool_calls",
    "prediction",
    "presence_penalty",
    "repetition_penalty",
    "top_k",
    "top_p",
    "verbosity",
)
_NEUTRAL: dict[str, Any] = {
    "frequency_penalty": 0,
    "presence_penalty": 0,
    "top_p": 1,
    "parallel_tool_calls": True,
    "repetition_penalty": 1,
    "logit_bias": {},
}
"""Values that ask for what happens anyway."""


class Asked(Data):
    """One request. `model` is "" where none was named; `ignored` names the fields that have no effect."""

    model: str
    request: CompletionRequest
    stream: bool = False
    include_usage: bool = False
    ignored: tuple[str, ...] = ()


def parse(raw: bytes) -> Asked:
    """The request in a body. Raises `Problem` (400) that says which field is wrong and what is wanted."""
    try:
        body = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Problem(f"The body is not valid JSON: {error}", code="invalid_json") from error
    if not isinstance(body, dict):
        raise Problem("The body is no JSON object", code="invalid_json")
    return read(body)


def read(body: Json) -> Asked:
    """The same for a decoded body. Null counts as absent everywhere."""
    body = {name: value for name, value in body.items() if value is not None}
    _refuse(body)
    system, messages = conversation(body.get("messages"))
    tools = _tools(body.get("tools", []))
    stream = flag(body.get("stream", False), "stream")
    options = table(body.get("stream_options", {}), "stream_options")
    effort = text(body.get("reasoning_effort", ""), "reasoning_effort")
    return Asked(
        model=text(body.get("model", ""), "model").strip(),
        stream=stream,
        include_usage=stream and flag(options.get("include_usage") or False, "stream_options.include_usage"),
        ignored=tuple(
            name for name in _UNKNOWN_HERE if name in body and (name not in _NEUTRAL or body[name] != _NEUTRAL[name])
        ),
        request=CompletionRequest(
            messages=messages,
            system=system,
            dynamic_boundary=len(system),
            tools=tools,
            tool_choice=_tool_choice(body.get("tool_choice", ""), tools),
            max_tokens=_max_tokens(body),
            temperature=number(body["temperature"], "temperature", 0, 2) if "temperature" in body else None,
            seed=whole(body["seed"], "seed", -(2**63)) if "seed" in body else None,
            stop=_stop(body.get("stop", [])),
            thinking="disabled" if effort == "none" else "",
            reasoning_effort="" if effort == "none" else effort,
            response_format=_response_format(body.get("response_format")),
        ),
    )


def tokens_at_least(request: CompletionRequest) -> int:
    """So many tokens the prompt surely has, at eight bytes each: enough to leave out windows that are far too small, while
    those that may fit judge for themselves."""
    texts = list(request.system)
    for block in (block for message in request.messages for block in message.content):
        match block:
            case TextBlock() | ToolResultBlock():
                texts.append(block.text)
            case ToolUseBlock():
                texts.append(block.arguments)
    return sum(len(text.encode("utf-8", "replace")) for text in texts) // 8


def _refuse(body: Json) -> None:
    for name, todo in _REFUSED.items():
        if name in body:
            raise Problem(f"`{name}` is not supported. {todo}", param=name, code="unsupported_parameter")
    if whole(body.get("n", 1), "n", 1) != 1:
        raise Problem("Only n = 1 is supported: one answer a request", param="n", code="unsupported_value")
    if flag(body.get("logprobs", False), "logprobs"):
        raise Problem("`logprobs` is not supported", param="logprobs", code="unsupported_parameter")
    if body.get("modalities", ["text"]) != ["text"]:
        raise Problem("Only text can be answered", param="modalities", code="unsupported_value")


def _max_tokens(body: Json) -> int:
    """The newer name wins where both are given."""
    for name in ("max_completion_tokens", "max_tokens"):
        if name in body:
            return whole(body[name], name, 1)
    return 0


def _stop(found: Any) -> tuple[str, ...]:
    stops = [found] if isinstance(found, str) else items(found, "stop")
    return tuple(text(one, f"stop[{place}]") for place, one in enumerate(stops) if one != "")


def _tools(found: Any) -> tuple[ToolSpec, ...]:
    specs = tuple(_tool(one, f"tools[{place}]") for place, one in enumerate(items(found, "tools")))
    names = [spec.name for spec in specs]
    for place, name in enumerate(names):
        if name in names[:place]:
            raise Problem(f"tools[{place}]: there is a tool '{name}' already", param=f"tools[{place}].function.name")
    return specs


def _tool(found: Any, param: str) -> ToolSpec:
    tool = table(found, param)
    if tool.get("type", "function") != "function":
        raise Problem(f"{param}: only tools of type 'function' can be offered", param=f"{param}.type")
    function = table(tool.get("function"), f"{param}.function")
    name = text(function.get("name"), f"{param}.function.name")
    if not _NAME.fullmatch(name):
        raise wrong(f"{param}.function.name", "a name of letters, digits, '_' and '-'", name)
    parameters = table(function.get("parameters") or {}, f"{param}.function.parameters")
    return ToolSpec(
        name=name,
        description=text(function.get("description") or "", f"{param}.function.description"),
        parameters=parameters or {"type": "object", "properties": {}},
    )


def _tool_choice(found: Any, tools: tuple[ToolSpec, ...]) -> str:
    if found == "" or not tools:
        return ""
    if isinstance(found, str):
        if found not in ("auto", "none", "required"):
            raise wrong("tool_choice", "'auto', 'none', 'required' or a function", found)
        return found
    choice = table(found, "tool_choice")
    name = text(table(choice.get("function"), "tool_choice.function").get("name"), "tool_choice.function.name")
    if name not in {tool.name for tool in tools}:
        raise Problem(f"tool_choice names '{name}', which is not among the tools", param="tool_choice")
    return name


def _response_format(found: Any) -> JsonView | None:
    if found is None:
        return None
    wanted = table(found, "response_format")
    match wanted.get("type"):
        case "text":
            return None
        case "json_object":
            return wanted
        case "json_schema":
            described = table(wanted.get("json_schema"), "response_format.json_schema")
            table(described.get("schema"), "response_format.json_schema.schema")
            return wanted
        case other:
            raise wrong("response_format.type", "'text', 'json_object' or 'json_schema'", other)
