"""Our request in Gemini's dialect, checked against the official SDK's own types (which forbid unknown fields)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from google.genai import types

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
    user_text,
)
from kram.providers.gemini.request import build
from kram.providers.gemini.schema import sanitise
from kram.providers.gemini.tokens import new_call_id, pack

OLD = Model(provider="gemini", id="gemini-2.5-flash", images=True)
NEW = Model(provider="gemini", id="gemini-3-pro-preview", images=True)


def assistant(*blocks: Any) -> Message:
    return Message(role="assistant", content=blocks)


def result(call_id: str, text: str, **more: Any) -> Message:
    return Message(role="user", content=(ToolResultBlock(tool_use_id=call_id, text=text, **more),))


def results(*call_ids: str) -> Message:
    return Message(role="user", content=tuple(ToolResultBlock(tool_use_id=one, text="done") for one in call_ids))


def valid(body: dict[str, Any]) -> dict[str, Any]:
    for content in body["contents"]:
        types.Content.model_validate(content)
    for tool in body.get("tools", []):
        types.Tool.model_validate(tool)
    if "toolConfig" in body:
        types.ToolConfig.model_validate(body["toolConfig"])
    if "systemInstruction" in body:
        types.Content.model_validate(body["systemInstruction"])
    config = types.GenerateContentConfig.model_validate(body.get("generationConfig", {}))
    assert config is not None
    return body


def test_roles_system_and_a_call_with_its_result() -> None:
    call_id = new_call_id()
    body = valid(
        build(
            CompletionRequest(
                system=("Be brief.", "Use tools."),
                messages=(
                    user_text("Read a.py"),
                    assistant(
                        TextBlock(text="Reading."),
                        ToolUseBlock(id=call_id, name="read_file", arguments='{"path": "a"}'),
                    ),
                    result(call_id, "print(1)"),
                ),
            ),
            OLD,
        )
    )
    assert body["systemInstruction"] == {"parts": [{"text": "Be brief.\n\nUse tools."}]}
    assert [content["role"] for content in body["contents"]] == ["user", "model", "user"]
    assert body["contents"][1]["parts"][1] == {"functionCall": {"name": "read_file", "args": {"path": "a"}}}
    assert body["contents"][2]["parts"] == [
        {"functionResponse": {"name": "read_file", "response": {"result": "print(1)"}}}
    ]


@pytest.mark.parametrize(
    ("text", "is_error", "response"),
    [
        ('{"rows": [1, 2]}', False, {"rows": [1, 2]}),
        ("[1, 2]", False, {"result": "[1, 2]"}),
        ("plain", False, {"result": "plain"}),
        ("no such file", True, {"error": "no such file"}),
        ('{"broken": ', False, {"result": '{"broken": '}),
        ("", False, {"result": ""}),
    ],
)
def test_objects_pass_through_and_other_results_are_wrapped(
    text: str, is_error: bool, response: dict[str, Any]
) -> None:
    history = (assistant(ToolUseBlock(id="c", name="t")), result("c", text, is_error=is_error))
    part = valid(build(CompletionRequest(messages=history), OLD))["contents"][1]["parts"][0]
    assert part["functionResponse"]["response"] == response


def test_ids_of_the_provider_go_back_and_made_up_ones_do_not() -> None:
    made = new_call_id()
    history = (
        assistant(ToolUseBlock(id="8hd01vsf", name="a"), ToolUseBlock(id=made, name="b")),
        Message(
            role="user",
            content=(ToolResultBlock(tool_use_id="8hd01vsf", text="1"), ToolResultBlock(tool_use_id=made, text="2")),
        ),
    )
    contents = valid(build(CompletionRequest(messages=history), OLD))["contents"]
    assert [part["functionCall"].get("id") for part in contents[0]["parts"]] == ["8hd01vsf", None]
    assert [part["functionResponse"].get("id") for part in contents[1]["parts"]] == ["8hd01vsf", None]
    assert made not in json.dumps(contents)


def test_signatures_go_back_on_the_part_they_came_with() -> None:
    history = (
        user_text("hi"),
        assistant(
            ThinkingBlock(thinking="shown", signature=pack("c2ln")),
            ThinkingBlock(signature=pack("dGV4dA==")),
            TextBlock(text="Text"),
            ToolUseBlock(id="a", name="a", signature=pack("Y2FsbA==")),
            ToolUseBlock(id="b", name="b"),
            ThinkingBlock(signature=pack("ZW5k")),
        ),
        results("a", "b"),
    )
    parts = valid(build(CompletionRequest(messages=history), NEW))["contents"][1]["parts"]
    assert [part.get("thoughtSignature") for part in parts] == ["c2ln", "dGV4dA==", "Y2FsbA==", None, "ZW5k"]
    assert parts[0]["thought"] is True
    assert parts[1]["text"] == "Text"
    assert parts[4]["text"] == ""


def test_thinking_of_another_vendor_never_reaches_gemini() -> None:
    history = (
        user_text("hi"),
        assistant(
            ThinkingBlock(thinking="private", signature="ErUB-anthropic"),
            ThinkingBlock(redacted="opaque"),
            ToolUseBlock(id="toolu_1", name="t", signature="other"),
        ),
        results("toolu_1"),
    )
    body = build(CompletionRequest(messages=history), OLD)
    assert "private" not in json.dumps(body)
    assert body["contents"][1]["parts"] == [{"functionCall": {"name": "t", "args": {}, "id": "toolu_1"}}]


def test_the_first_call_of_another_model_is_marked_for_models_that_demand_a_signature() -> None:
    calls = assistant(ToolUseBlock(id="a", name="a"), ToolUseBlock(id="b", name="b"))
    history = (user_text("hi"), calls, results("a", "b"))
    parts = build(CompletionRequest(messages=history), NEW)["contents"][1]["parts"]
    assert [bool(part.get("thoughtSignature")) for part in parts] == [True, False]


def test_arguments_that_are_no_object_are_not_lost() -> None:
    history = (assistant(ToolUseBlock(id="c", name="t", arguments='{"a": ')), results("c"))
    call = valid(build(CompletionRequest(messages=history), OLD))["contents"][0]["parts"][0]["functionCall"]
    assert call["args"] == {"unparsed_arguments": '{"a": '}


def test_calls_without_a_result_and_results_without_a_call_stay_away() -> None:
    history = (
        user_text("hi"),
        assistant(ToolUseBlock(id="a", name="a"), ToolUseBlock(id="b", name="b")),
        results("b", "x"),
    )
    contents = build(CompletionRequest(messages=history), OLD)["contents"]
    assert [len(content["parts"]) for content in contents] == [1, 1, 1]


def test_images_in_messages_and_results_and_results_first() -> None:
    image = ImageBlock(media_type="image/png", data="QUJD")
    content = (TextBlock(text="and this"), image, ToolResultBlock(tool_use_id="c", text="x", images=(image,)))
    history = (assistant(ToolUseBlock(id="c", name="t")), Message(role="user", content=content))
    parts = valid(build(CompletionRequest(messages=history), OLD))["contents"][1]["parts"]
    assert [next(iter(part)) for part in parts] == ["functionResponse", "text", "inlineData", "inlineData"]


def test_options_and_their_absence() -> None:
    assert set(build(CompletionRequest(messages=(user_text("hi"),)), OLD)) == {"contents"}
    request = CompletionRequest(
        messages=(user_text("hi"),),
        max_tokens=100,
        temperature=0.0,
        seed=0,
        stop=("END",),
        tools=(ToolSpec(name="t", description="d", parameters={"type": "object", "properties": {}}),),
        tool_choice="required",
        response_format={"type": "json_object"},
    )
    body = valid(build(request, OLD))
    assert body["generationConfig"] == {
        "maxOutputTokens": 100,
        "temperature": 0.0,
        "seed": 0,
        "stopSequences": ["END"],
        "responseMimeType": "application/json",
    }
    assert body["toolConfig"] == {"functionCallingConfig": {"mode": "ANY"}}
    assert body["tools"] == [{"functionDeclarations": [{"name": "t", "description": "d"}]}]


@pytest.mark.parametrize(
    ("model_id", "mode", "effort", "budget", "wanted"),
    [
        ("gemini-2.5-flash", "enabled", "", 0, {"includeThoughts": True}),
        ("gemini-2.5-flash", "enabled", "", 4096, {"includeThoughts": True, "thinkingBudget": 4096}),
        ("gemini-2.5-flash", "", "low", 0, {"thinkingBudget": 2048}),
        ("gemini-2.5-flash", "disabled", "high", 0, {"thinkingBudget": 0}),
        ("gemini-2.5-pro", "disabled", "", 0, {"thinkingBudget": 128}),
        ("gemini-3-pro-preview", "enabled", "high", 0, {"includeThoughts": True, "thinkingLevel": "high"}),
        ("gemini-3-pro-preview", "disabled", "", 0, {"thinkingLevel": "low"}),
        ("gemini-2.0-flash", "disabled", "", 0, None),
        ("gemini-2.5-flash", "", "", 0, None),
    ],
)
def test_thinking(model_id: str, mode: Any, effort: str, budget: int, wanted: dict[str, Any] | None) -> None:
    request = CompletionRequest(
        messages=(user_text("hi"),), thinking=mode, reasoning_effort=effort, reasoning_budget=budget
    )
    body = valid(build(request, Model(provider="gemini", id=model_id)))
    assert body.get("generationConfig", {}).get("thinkingConfig") == wanted


@pytest.mark.parametrize(
    ("schema", "wanted"),
    [
        ({"type": "object", "properties": {}, "additionalProperties": False, "$schema": "x"}, {"type": "object"}),
        ({"type": ["string", "null"]}, {"type": "string", "nullable": True}),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, {"type": "integer", "nullable": True}),
        ({"oneOf": [{"type": "integer"}, {"type": "string"}]}, {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        (
            {"type": ["integer", "string"], "minimum": 1},
            {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "string", "minimum": 1}]},
        ),
        ({"const": "a"}, {"type": "string", "enum": ["a"]}),
        ({"type": "integer", "enum": [1, 2]}, {"type": "integer", "description": "One of: 1, 2"}),
        ({"enum": ["a", None]}, {"type": "string", "enum": ["a"]}),
        ({"type": "array"}, {"type": "array", "items": {"type": "string"}}),
        ({"type": "string", "format": "uri"}, {"type": "string"}),
        ({"type": "string", "format": "date-time", "default": "x"}, {"type": "string", "format": "date-time"}),
        (
            {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a", "gone"]},
            {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
        ),
        (
            {
                "allOf": [
                    {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
                    {"properties": {"b": {"type": "integer"}}, "required": ["b"]},
                ]
            },
            {
                "type": "object",
                "properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
                "required": ["a", "b"],
            },
        ),
        (
            {"$ref": "#/$defs/p", "description": "here", "$defs": {"p": {"type": "string", "description": "there"}}},
            {"type": "string", "description": "here"},
        ),
    ],
)
def test_schemas_are_cut_to_the_subset(schema: dict[str, Any], wanted: dict[str, Any]) -> None:
    found = sanitise(schema)
    assert found == wanted
    types.Schema.model_validate(found)


def test_parameters_named_like_keywords_stay() -> None:
    names = ("default", "$ref", "const", "format", "additionalProperties", "enum", "type")
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
    assert set(sanitise(schema)["properties"]) == set(names)


def test_a_recursive_schema_ends() -> None:
    tree = {
        "type": "object",
        "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/tree"}}},
    }
    found = sanitise({"$ref": "#/$defs/tree", "$defs": {"tree": tree}})
    assert found["properties"]["children"]["items"] == {"type": "object"}
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(200):
        deep = {"type": "object", "properties": {"in": deep}}
    assert sanitise(deep)["type"] == "object"
    loop = {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}
    assert sanitise(loop)["type"] == "object"
