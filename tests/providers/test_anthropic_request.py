"""Our request in the dialect of the Messages API, checked against the official SDK's types and against what the API refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest
from anthropic.types import MessageParam, TextBlockParam, ToolParam
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming, MessageCreateParamsStreaming
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
from kram.providers.anthropic.request import build
from tests.support.strict import assert_acceptable

MODEL = Model(provider="anthropic", id="claude-sonnet-4-5", images=True)
READ = ToolSpec(
    name="read_file",
    description="Reads a file",
    parameters={"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
)
_MESSAGE: TypeAdapter[Any] = TypeAdapter(MessageParam)
_TOOL: TypeAdapter[Any] = TypeAdapter(ToolParam)
_SYSTEM: TypeAdapter[Any] = TypeAdapter(TextBlockParam)


def assistant(*blocks: Any) -> Message:
    return Message(role="assistant", content=blocks)


def user(*blocks: Any) -> Message:
    return Message(role="user", content=blocks)


def call(call_id: str, arguments: str = "{}", name: str = "read_file") -> ToolUseBlock:
    return ToolUseBlock(id=call_id, name=name, arguments=arguments)


def result(call_id: str, text: str = "ok", **more: Any) -> ToolResultBlock:
    return ToolResultBlock(tool_use_id=call_id, tool_name="read_file", text=text, **more)


def request(*messages: Message, **more: Any) -> CompletionRequest:
    return CompletionRequest(messages=messages or (user_text("hi"),), **more)


def built(asked: CompletionRequest, model: Model = MODEL, **more: Any) -> dict[str, Any]:
    """The body, after the SDK's types knew every key of it and the strict checks found nothing."""
    body = build(asked, model, **more)
    kind = MessageCreateParamsStreaming if body.get("stream") else MessageCreateParamsNonStreaming
    # The newest models take no temperature, so the newest SDK does not name it; older models still do.
    assert set(TypeAdapter(kind).validate_python(body)) == set(body) - {"temperature"}
    for adapter, values in (
        (_MESSAGE, body["messages"]),
        (_TOOL, body.get("tools", [])),
        (_SYSTEM, body.get("system", [])),
    ):
        for value in values:
            assert set(adapter.validate_python(value)) == set(value)
    assert_acceptable("anthropic", body)
    return body


def test_a_plain_request_has_nothing_it_was_not_asked_for() -> None:
    assert built(request()) == {
        "model": "claude-sonnet-4-5",
        "max_tokens": 8192,
        "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}],
        "stream": True,
    }
    assert built(request(), stream=False)["stream"] is False


@pytest.mark.parametrize(
    ("asked", "can", "sent"), [(0, 0, 8192), (0, 64_000, 32_000), (0, 4096, 4096), (500, 64_000, 500)]
)
def test_c7_the_output_cap(asked: int, can: int, sent: int) -> None:
    model = Model(provider="a", id="claude-sonnet-4-5", max_output=can)
    assert built(request(max_tokens=asked), model)["max_tokens"] == sent


def test_c7_options_are_sent_where_set() -> None:
    body = built(request(stop=("END", " "), temperature=0.0, reasoning_effort="high", tools=(READ,)))
    assert body["stop_sequences"] == ["END"]
    assert body["temperature"] == 0.0
    assert body["output_config"] == {"effort": "high"}
    assert body["tools"] == [
        {"name": "read_file", "description": "Reads a file", "input_schema": dict(READ.parameters)}
    ]


@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        ("auto", {"type": "auto"}),
        ("required", {"type": "any"}),
        ("none", {"type": "none"}),
        ("read_file", {"type": "tool", "name": "read_file"}),
    ],
)
def test_the_choice_of_tools(choice: str, sent: dict[str, str]) -> None:
    assert built(request(tools=(READ,), tool_choice=choice))["tool_choice"] == sent
    assert "tool_choice" not in built(request(tool_choice=choice))


def test_a_json_schema_becomes_the_output_format() -> None:
    schema = {"type": "object", "properties": {}}
    wrapped = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
    for wanted in (schema, wrapped):
        body = built(request(response_format=wanted))
        assert body["output_config"]["format"] == {"type": "json_schema", "schema": schema}
    assert "output_config" not in built(request(response_format={"type": "json_object"}))


# --- prompt cache -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("boundary", "blocks"),
    [
        (0, [("a\n\nb\n\nc", False)]),
        (2, [("a\n\nb", True), ("c", False)]),
        (3, [("a\n\nb\n\nc", True)]),
        (5, [("a\n\nb\n\nc", True)]),
    ],
)
def test_c18_the_cache_mark_stands_behind_the_stable_segments(boundary: int, blocks: list[tuple[str, bool]]) -> None:
    body = built(request(system=("a", " b ", "c"), dynamic_boundary=boundary))
    assert [(block["text"], "cache_control" in block) for block in body["system"]] == blocks


def test_c18_no_segments_no_system_and_blank_ones_do_not_shift_the_boundary() -> None:
    assert "system" not in built(request(system=(" ", ""), dynamic_boundary=1))
    body = built(request(system=("a", " ", "b", "c"), dynamic_boundary=2))
    assert [block["text"] for block in body["system"]] == ["a", "b\n\nc"]


def marks(body: dict[str, Any]) -> list[tuple[int, int]]:
    return [
        (place, number)
        for place, message in enumerate(body["messages"])
        for number, block in enumerate(message["content"])
        if "cache_control" in block
    ]


def test_a_growing_conversation_is_marked_where_it_ends_and_where_it_ended_before() -> None:
    history = [
        user_text("one"),
        assistant(TextBlock(text="x")),
        user_text("two"),
        assistant(call("c1")),
        user(result("c1")),
    ]
    asked = request(*history, system=("s", "t"), dynamic_boundary=1, tools=(READ,))
    body = built(asked)
    assert marks(body) == [(2, 0), (4, 0)]
    assert json.dumps(body).count("cache_control") == 3
    assert marks(built(request(*history, tools=(READ,)))) == []


def test_the_mark_is_never_on_a_reminder_that_is_gone_with_the_next_call() -> None:
    reminder = TextBlock(text="<system-reminder>\nnow\n</system-reminder>")
    body = built(request(user(TextBlock(text="one"), reminder), system=("s",), dynamic_boundary=1))
    assert marks(body) == [(0, 0)]


# --- thinking ---------------------------------------------------------------------------------------------------------

THOUGHT = ThinkingBlock(thinking="hmm", signature="c2ln")
SECRET = ThinkingBlock(redacted="ZGF0YQ==")


def thoughts(body: dict[str, Any]) -> list[dict[str, Any]]:
    return [b for m in body["messages"] for b in m["content"] if b["type"] in ("thinking", "redacted_thinking")]


def thought_history() -> tuple[Message, ...]:
    return user_text("q"), assistant(THOUGHT, SECRET, TextBlock(text="a")), user_text("more")


def test_c17_thinking_goes_back_whole_where_it_is_enabled() -> None:
    body = built(request(*thought_history(), thinking="enabled"))
    assert thoughts(body) == [
        {"type": "thinking", "thinking": "hmm", "signature": "c2ln"},
        {"type": "redacted_thinking", "data": "ZGF0YQ=="},
    ]
    assert body["thinking"] == {"type": "enabled", "budget_tokens": 4096}


@pytest.mark.parametrize(
    ("of_model", "of_request"), [("enabled", "disabled"), ("", "disabled"), ("", ""), ("disabled", "")]
)
def test_c17_thinking_is_stripped_where_it_is_not_enabled(of_model: Any, of_request: Any) -> None:
    model = Model(provider="a", id="claude-sonnet-4-5", thinking=of_model)
    body = built(request(*thought_history(), thinking=of_request), model)
    assert thoughts(body) == []
    assert body["messages"][1]["content"] == [{"type": "text", "text": "a"}]
    assert body.get("thinking") == ({"type": "disabled"} if "disabled" in (of_model, of_request) else None)


def test_c17_a_message_that_only_thought_disappears_and_its_neighbours_join() -> None:
    body = built(request(user_text("q"), assistant(THOUGHT), user_text("again")))
    assert [message["role"] for message in body["messages"]] == ["user"]


@pytest.mark.parametrize(
    "foreign",
    [
        ThinkingBlock(thinking="mine"),
        ThinkingBlock(thinking="x", signature="gemini:abc"),
        ThinkingBlock(redacted='openai-responses:["a","b"]'),
        ThinkingBlock(thinking="x", signature='openai-chat:{"a":1}'),
    ],
)
def test_thinking_of_another_vendor_is_left_out(foreign: ThinkingBlock) -> None:
    body = built(request(user_text("q"), assistant(foreign, TextBlock(text="a")), user_text("r"), thinking="enabled"))
    assert thoughts(body) == []


def test_thinking_that_came_without_its_text_goes_back_with_its_signature() -> None:
    silent = ThinkingBlock(signature="c2ln")
    body = built(request(user_text("q"), assistant(silent, TextBlock(text="a")), user_text("r"), thinking="enabled"))
    assert thoughts(body) == [{"type": "thinking", "thinking": "", "signature": "c2ln"}]


@pytest.mark.parametrize("max_tokens", [0, 100, 1024, 1025, 4096, 100_000])
@pytest.mark.parametrize("budget", [0, 500, 1024, 50_000])
@pytest.mark.parametrize("effort", ["", "low", "max"])
def test_the_budget_always_leaves_room_for_the_answer(max_tokens: int, budget: int, effort: str) -> None:
    asked = request(thinking="enabled", max_tokens=max_tokens, reasoning_budget=budget, reasoning_effort=effort)
    body = built(asked)
    if budget >= 1024:
        assert body["thinking"]["budget_tokens"] == budget


def test_thinking_rules_out_a_temperature_and_a_forced_tool() -> None:
    assert "temperature" not in built(request(thinking="enabled", temperature=0.2))
    forced = built(
        request(*thought_history(), thinking="enabled", tools=(READ,), tool_choice="required", temperature=0.2)
    )
    assert "thinking" not in forced
    assert forced["temperature"] == 0.2


def test_an_open_round_that_began_without_thinking_is_finished_without() -> None:
    """Another model made the calls; the API wants thinking first in the message that waits for results."""
    history = (user_text("q"), assistant(TextBlock(text="let me"), call("c1")), user(result("c1")))
    assert "thinking" not in built(request(*history, thinking="enabled", tools=(READ,)))
    own = (user_text("q"), assistant(THOUGHT, call("c1")), user(result("c1")))
    assert built(request(*own, thinking="enabled", tools=(READ,)))["thinking"]["type"] == "enabled"


def test_newer_models_think_adaptively() -> None:
    model = Model(provider="a", id="claude-opus-4-6")
    body = built(request(*thought_history(), thinking="enabled", reasoning_effort="high"), model)
    assert body["thinking"]["type"] == "adaptive"
    assert len(thoughts(body)) == 2
    plain = built(
        request(thinking="enabled"), Model(provider="a", id="claude-opus-4-6", quirks=("!adaptive_thinking",))
    )
    assert plain["thinking"]["type"] == "enabled"


# --- calls and results ------------------------------------------------------------------------------------------------


def test_calls_and_results_stand_where_the_api_wants_them() -> None:
    history = (
        user_text("q"),
        assistant(TextBlock(text="look"), call("c1", '{"path": "a"}'), call("c2", "")),
        user(TextBlock(text="and hurry"), result("c1", "A"), result("c2", "no", is_error=True)),
    )
    body = built(request(*history, tools=(READ,)))
    assert body["messages"][1]["content"][1:] == [
        {"type": "tool_use", "id": "c1", "name": "read_file", "input": {"path": "a"}},
        {"type": "tool_use", "id": "c2", "name": "read_file", "input": {}},
    ]
    assert body["messages"][2]["content"] == [
        {"type": "tool_result", "tool_use_id": "c1", "content": "A"},
        {"type": "tool_result", "tool_use_id": "c2", "content": "no", "is_error": True},
        {"type": "text", "text": "and hurry"},
    ]


def test_orphans_never_reach_the_wire() -> None:
    history = (
        user(result("gone"), TextBlock(text="q")),
        assistant(call("c1"), call("open")),
        user(result("c1"), result("c1", "twice"), result("never")),
        assistant(call("late")),
        user_text("stop"),
    )
    body = built(request(*history, tools=(READ,)))
    assert "late" not in json.dumps(body)
    assert "open" not in json.dumps(body)
    assert "twice" not in json.dumps(body)


def test_ids_of_other_vendors_are_made_acceptable_and_still_match() -> None:
    history = (
        user_text("q"),
        assistant(call("functions.read:0"), call("c#1")),
        user(result("functions.read:0"), result("c#1")),
    )
    body = built(request(*history, tools=(READ,)))
    assert len({block["id"] for block in body["messages"][1]["content"]}) == 2


def test_arguments_that_are_no_object_still_make_a_valid_history() -> None:
    history = (
        user_text("q"),
        assistant(call("c1", '{"path": "a'), call("c2", "[1]")),
        user(result("c1"), result("c2")),
    )
    blocks = built(request(*history, tools=(READ,)))["messages"][1]["content"]
    assert [block["input"] for block in blocks] == [
        {"unparsed_arguments": '{"path": "a'},
        {"unparsed_arguments": "[1]"},
    ]


def test_a_history_with_calls_has_tools_even_where_the_request_has_none() -> None:
    body = built(request(user_text("q"), assistant(call("c1")), user(result("c1"))))
    assert [tool["name"] for tool in body["tools"]] == ["read_file"]
    assert body["tool_choice"] == {"type": "none"}


def test_images_of_the_user_and_of_tools() -> None:
    picture, link = ImageBlock(media_type="image/jpeg", data="aGk="), ImageBlock(url="https://example.com/a.png")
    history = (
        user(TextBlock(text="see"), picture, link),
        assistant(call("c1")),
        user(result("c1", "", images=(picture,))),
    )
    body = built(request(*history, tools=(READ,)))
    source = {"type": "base64", "media_type": "image/jpeg", "data": "aGk="}
    assert body["messages"][0]["content"][1:] == [
        {"type": "image", "source": source},
        {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}},
    ]
    assert body["messages"][2]["content"][0]["content"] == [{"type": "image", "source": source}]


def test_any_history_alternates_begins_with_the_user_and_has_no_blank_text() -> None:
    history = (
        assistant(TextBlock(text="left over")),
        user_text("  "),
        assistant(TextBlock(text="\n")),
        user_text("a"),
        user_text("b"),
        assistant(TextBlock(text="to be continued  \n")),
    )
    body = built(request(*history))
    assert [message["role"] for message in body["messages"]] == ["user", "assistant", "user", "assistant"]
    assert body["messages"][-1]["content"][-1]["text"] == "to be continued"
