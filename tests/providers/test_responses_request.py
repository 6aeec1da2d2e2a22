"""Our request in the dialect of the Responses API, checked against the official SDK's own types."""

from __future__ import annotations

from typing import Any

import pytest
from openai.types.responses import ResponseInputItemParam, ToolParam
from openai.types.responses.response_create_params import (
    ResponseCreateParamsNonStreaming,
    ResponseCreateParamsStreaming,
)
from pydantic import TypeAdapter

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
from kram.providers.openai_responses.request import build
from kram.providers.openai_responses.tokens import ReasoningToken, pack, unpack

MODEL = Model(provider="openai", id="gpt-5", images=True)
_ITEM: TypeAdapter[Any] = TypeAdapter(ResponseInputItemParam)
_TOOL: TypeAdapter[Any] = TypeAdapter(ToolParam)
READ = ToolSpec(
    name="read_file",
    description="Reads a file",
    parameters={"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
)


def assistant(*blocks: Any) -> Message:
    return Message(role="assistant", content=blocks)


def result(call_id: str, text: str, **more: Any) -> Message:
    return Message(
        role="user", content=(ToolResultBlock(tool_use_id=call_id, tool_name="read_file", text=text, **more),)
    )


def valid(body: dict[str, Any]) -> dict[str, Any]:
    """The body itself, after the SDK's types have accepted it and known every key of it."""
    kind = ResponseCreateParamsStreaming if body.get("stream") else ResponseCreateParamsNonStreaming
    assert set(TypeAdapter(kind).validate_python(body)) == set(body)
    # Lists are checked lazily by the adapter above, so one by one here.
    for adapter, values in ((_ITEM, body["input"]), (_TOOL, body.get("tools", []))):
        for value in values:
            assert set(adapter.validate_python(value)) == set(value)
    return body


def test_a_history_becomes_one_flat_list_in_order_without_foreign_thinking() -> None:
    request = CompletionRequest(
        system=("Be brief.", " ", "Use tools."),
        messages=(
            user_text("Read a.py"),
            assistant(
                ThinkingBlock(thinking="hmm", signature="of another vendor"),
                TextBlock(text="Reading."),
                ToolUseBlock(id="c1", name="read_file", arguments='{"path": "a.py"}'),
            ),
            result("c1", "print(1)"),
        ),
        tools=(READ,),
    )
    body = valid(build(request, MODEL, stream=True))
    assert body["instructions"] == "Be brief.\n\nUse tools."
    assert [item.get("role") or item["type"] for item in body["input"]] == [
        "user",
        "assistant",
        "function_call",
        "function_call_output",
    ]
    assert body["input"][3] == {"type": "function_call_output", "call_id": "c1", "output": "print(1)"}
    assert "hmm" not in str(body)
    assert body["store"] is False
    assert body["stream"] is True
    assert body["tools"][0]["strict"] is False


def test_results_and_text_of_one_message_keep_their_order() -> None:
    message = Message(
        role="user",
        content=(
            TextBlock(text="before"),
            ToolResultBlock(tool_use_id="c1", text="one"),
            ToolResultBlock(tool_use_id="c2", text="two"),
            TextBlock(text="after"),
        ),
    )
    calls = assistant(ToolUseBlock(id="c1", name="a"), ToolUseBlock(id="c2", name="b"))
    items = valid(build(CompletionRequest(messages=(calls, message)), MODEL))["input"][2:]
    assert [item.get("output") or item["content"][0]["text"] for item in items] == ["before", "one", "two", "after"]


def test_a_call_without_arguments_has_an_empty_object() -> None:
    history = (assistant(ToolUseBlock(id="c", name="todo", arguments=" ")), result("c", "ok"))
    assert valid(build(CompletionRequest(messages=history), MODEL))["input"][0]["arguments"] == "{}"


def test_calls_without_a_result_and_results_without_a_call_stay_away() -> None:
    history = (assistant(ToolUseBlock(id="a", name="a"), TextBlock(text="x")), result("b", "of no call"))
    (only,) = build(CompletionRequest(messages=history), MODEL)["input"]
    assert (only["role"], only["content"][0]["text"]) == ("assistant", "x")


def test_ids_of_another_vendor_are_made_acceptable_and_still_match() -> None:
    odd = "functions.read_file:0" * 8
    items = valid(
        build(CompletionRequest(messages=(assistant(ToolUseBlock(id=odd, name="t")), result(odd, "x"))), MODEL)
    )["input"]
    assert items[0]["call_id"] == items[1]["call_id"]
    assert len(items[0]["call_id"]) <= 64


def test_images_travel_as_data_urls_in_messages_and_in_results() -> None:
    image = ImageBlock(media_type="image/png", data="QUJD")
    request = CompletionRequest(
        messages=(
            Message(role="user", content=(TextBlock(text="What is it?"), image)),
            assistant(ToolUseBlock(id="c1", name="read_file")),
            result("c1", "a picture", images=(image,)),
        )
    )
    items = valid(build(request, MODEL))["input"]
    assert items[0]["content"][1]["image_url"] == "data:image/png;base64,QUJD"
    assert [part["type"] for part in items[2]["output"]] == ["input_text", "input_image"]


@pytest.mark.parametrize(
    ("model_mode", "request_mode", "effort", "reasoning"),
    [
        ("", "", "", None),
        ("", "", "high", {"effort": "high"}),
        ("enabled", "", "high", {"effort": "high", "summary": "auto"}),
        ("", "enabled", "", {"summary": "auto"}),
        ("enabled", "disabled", "high", None),
    ],
)
def test_thinking_of_the_request_beats_the_model(
    model_mode: Any, request_mode: Any, effort: str, reasoning: dict[str, str] | None
) -> None:
    model = Model(provider="openai", id="gpt-5", thinking=model_mode, reasoning_effort=effort)
    body = valid(build(CompletionRequest(messages=(user_text("hi"),), thinking=request_mode), model))
    assert body.get("reasoning") == reasoning
    assert ("include" in body) == (reasoning is not None)


def test_encrypted_reasoning_goes_back_in_front_of_the_item_it_belongs_to() -> None:
    token = pack(ReasoningToken(id="rs_1", encrypted="gAAA"))
    history = (
        user_text("hi"),
        assistant(
            ThinkingBlock(thinking="First."),
            ThinkingBlock(thinking="Second."),
            ThinkingBlock(redacted=token),
            ToolUseBlock(id="c1", name="read_file", arguments="{}"),
        ),
        result("c1", "text"),
    )
    items = valid(build(CompletionRequest(messages=history, thinking="enabled"), MODEL))["input"]
    assert items[1] == {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": "First."}, {"type": "summary_text", "text": "Second."}],
        "encrypted_content": "gAAA",
    }
    assert items[2]["type"] == "function_call"
    without = build(CompletionRequest(messages=history, thinking="disabled"), MODEL)["input"]
    assert [item.get("type") for item in without] == [None, "function_call", "function_call_output"]


def test_reasoning_that_nothing_follows_is_left_out() -> None:
    history = (user_text("hi"), assistant(ThinkingBlock(redacted=pack(ReasoningToken(id="rs", encrypted="x")))))
    assert len(build(CompletionRequest(messages=history), MODEL)["input"]) == 1


def test_a_foreign_opaque_block_is_never_taken_for_ours() -> None:
    for foreign in (
        "",
        "EroBCkYIBBgCIkDk",
        "gemini:abc",
        "openai-responses:",
        'openai-responses:["a"]',
        "openai-responses:{}",
    ):
        assert unpack(foreign) is None
    token = ReasoningToken(id="", encrypted='with "quotes" and \n lines')
    assert unpack(pack(token)) == token


def test_unset_options_are_absent_and_zero_is_not_unset() -> None:
    bare = build(CompletionRequest(messages=(user_text("hi"),)), MODEL, stream=False)
    assert set(bare) == {"model", "input", "store"}
    request = CompletionRequest(
        messages=(user_text("hi"),),
        max_tokens=100,
        temperature=0.0,
        tools=(READ,),
        tool_choice="read_file",
        stop=("END",),
    )
    body = valid(build(request, MODEL, stream=False))
    assert body["max_output_tokens"] == 100
    assert body["temperature"] == 0.0
    assert body["tool_choice"] == {"type": "function", "name": "read_file"}
    assert "stop" not in body
    assert "stream" not in body


@pytest.mark.parametrize(
    "wanted",
    [
        {"type": "json_schema", "json_schema": {"name": "person", "schema": {"type": "object"}, "strict": True}},
        {"type": "object", "properties": {}},
    ],
)
def test_a_response_format_is_translated(wanted: dict[str, Any]) -> None:
    body = valid(build(CompletionRequest(messages=(user_text("hi"),), response_format=wanted), MODEL))
    assert body["text"]["format"]["type"] == "json_schema"
    assert body["text"]["format"]["schema"]["type"] == "object"
