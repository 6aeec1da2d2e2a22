"""Our request in the dialect of Chat Completions, checked against the official SDK's types and against what servers refuse."""

from __future__ import annotations

import json
from typing import Any

import pytest
from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolParam
from openai.types.chat.completion_create_params import (
    CompletionCreateParamsNonStreaming,
    CompletionCreateParamsStreaming,
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
from kram.providers.openai_chat.request import build
from kram.providers.openai_chat.tokens import pack
from tests.support.strict import assert_acceptable

MODEL = Model(provider="openai", id="gpt-4o", images=True)
READ = ToolSpec(
    name="read_file",
    description="Reads a file",
    parameters={"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
)
_MESSAGE: TypeAdapter[Any] = TypeAdapter(ChatCompletionMessageParam)
_TOOL: TypeAdapter[Any] = TypeAdapter(ChatCompletionToolParam)
NOT_OPENAI = {"thinking", "reasoning", "grammar", "reasoning_budget_tokens", "chat_template_kwargs"}
"""Fields that other servers take and OpenAI does not know."""
THOUGHT = ThinkingBlock(thinking="hmm")


def assistant(*blocks: Any) -> Message:
    return Message(role="assistant", content=blocks)


def user(*blocks: Any) -> Message:
    return Message(role="user", content=blocks)


def call(call_id: str, arguments: str = "{}") -> ToolUseBlock:
    return ToolUseBlock(id=call_id, name="read_file", arguments=arguments)


def result(call_id: str, text: str = "ok", **more: Any) -> ToolResultBlock:
    return ToolResultBlock(tool_use_id=call_id, tool_name="read_file", text=text, **more)


def request(*messages: Message, **more: Any) -> CompletionRequest:
    return CompletionRequest(messages=messages or (user_text("hi"),), **more)


def built(asked: CompletionRequest, model: Model = MODEL, *quirks: str, stream: bool = True) -> dict[str, Any]:
    """The body, after the SDK's types knew every key of it and the strict checks found nothing."""
    body = build(asked, model, stream=stream, quirks=quirks)
    kind = CompletionCreateParamsStreaming if stream else CompletionCreateParamsNonStreaming
    assert set(TypeAdapter(kind).validate_python(body)) == set(body) - NOT_OPENAI
    for message in body["messages"]:
        _MESSAGE.validate_python(message)
    for tool in body.get("tools", []):
        assert set(_TOOL.validate_python(tool)) == set(tool)
    assert_acceptable("openai-chat", body)
    return body


def said(asked: CompletionRequest, *quirks: str) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = built(asked, MODEL, *quirks)["messages"]
    return messages


ROUND = (user_text("q"), assistant(call("c1")), user(result("c1")))
THOUGHT_ROUND = (user_text("q"), assistant(THOUGHT, call("c1")), user(result("c1")))


def test_a_plain_request_has_nothing_it_was_not_asked_for() -> None:
    assert built(request()) == {
        "model": "gpt-4o",
        "messages": [{"role": "user", "content": "hi"}],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    assert built(request(), stream=False) == {
        "model": "gpt-4o",
        "messages": [{"role": "user", "content": "hi"}],
        "stream": False,
    }


def test_c5_the_system_text_is_one_leading_message() -> None:
    assert said(request(system=("a", " ", "b"), dynamic_boundary=1))[0] == {"role": "system", "content": "a\n\nb"}


def test_a45_unset_options_are_absent_and_zero_is_not_unset() -> None:
    body = built(request(temperature=0.0, seed=0, stop=("END",)))
    assert (body["temperature"], body["seed"], body["stop"]) == (0.0, 0, ["END"])


@pytest.mark.parametrize(
    ("field", "cap", "sent"),
    [
        ("max_tokens", 4096, {"max_tokens": 4096}),
        ("max_completion_tokens", 8192, {"max_completion_tokens": 8192}),
        ("max_tokens", 0, {}),
        ("max_completion_tokens", 0, {}),
    ],
)
def test_c16_one_field_for_the_output_cap(field: Any, cap: int, sent: dict[str, int]) -> None:
    body = built(request(max_tokens=cap), Model(provider="o", id="m", max_tokens_field=field))
    assert {key: value for key, value in body.items() if key.startswith("max_")} == sent


def test_a_reasoning_model_gets_no_sampling_options() -> None:
    body = built(request(temperature=0.5, stop=("x",), max_tokens=5), MODEL, "fixed_sampling", "max_completion_tokens")
    assert not {"temperature", "stop", "max_tokens"} & set(body)
    assert body["max_completion_tokens"] == 5


@pytest.mark.parametrize("quirk", ["no_stream_options", "no_seed", "no_thinking_field"])
def test_fields_a_server_does_not_know_are_left_out(quirk: str) -> None:
    asked = request(seed=1, thinking="enabled")
    field = {"no_stream_options": "stream_options", "no_seed": "seed", "no_thinking_field": "thinking"}[quirk]
    assert field in built(asked)
    assert field not in built(asked, MODEL, quirk)


# --- tools ------------------------------------------------------------------------------------------------------------


def test_tools_and_the_choice_among_them() -> None:
    body = built(request(tools=(READ,), tool_choice="read_file"))
    function = {"name": "read_file", "description": "Reads a file", "parameters": dict(READ.parameters)}
    assert body["tools"] == [{"type": "function", "function": function}]
    assert body["tool_choice"] == {"type": "function", "function": {"name": "read_file"}}
    assert built(request(tools=(READ,), tool_choice="required"))["tool_choice"] == "required"
    assert "tool_choice" not in built(request(tool_choice="auto"))


def test_c9_results_come_before_the_users_own_words() -> None:
    messages = said(request(user_text("q"), assistant(call("c1", "")), user(TextBlock(text="and?"), result("c1", "A"))))
    assert [message["role"] for message in messages] == ["user", "assistant", "tool", "user"]
    assert messages[1] == {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}],
    }
    assert messages[2] == {"role": "tool", "tool_call_id": "c1", "content": "A"}
    assert messages[3] == {"role": "user", "content": "and?"}


def test_c9_an_assistant_that_only_thought_gets_placeholder_content() -> None:
    message = said(request(user_text("q"), assistant(THOUGHT), user_text("r")))[1]
    assert message["content"].strip()
    assert message["reasoning_content"] == "hmm"


def test_c10_what_has_no_counterpart_is_dropped() -> None:
    unanswered = said(request(user_text("q"), assistant(TextBlock(text="t"), call("c1")), user_text("r")))
    assert unanswered[1] == {"role": "assistant", "content": "t"}
    orphan = said(request(user(result("c9"), TextBlock(text="q"))))
    assert [message["role"] for message in orphan] == ["user"]
    emptied = said(request(user_text("q"), assistant(call("c1")), user_text("r")))
    assert emptied[1]["content"].strip()
    assert "tool_calls" not in emptied[1]


def test_c10_a_result_counts_only_right_behind_its_call() -> None:
    history = (
        user_text("q"),
        assistant(call("c1")),
        user_text("r"),
        assistant(TextBlock(text="x")),
        user(result("c1")),
    )
    assert "c1" not in json.dumps(said(request(*history, user_text("s"))))


@pytest.mark.parametrize("options", [{"thinking": "enabled"}, {"reasoning_effort": "high"}])
def test_c10_calls_without_reasoning_get_a_stand_in_in_thinking_mode(options: dict[str, Any]) -> None:
    assert said(request(*ROUND, **options))[1]["reasoning_content"]
    assert "reasoning_content" not in said(request(*ROUND))[1]
    assert "reasoning_content" not in said(request(*ROUND, **options), "no_reasoning_replay")[1]


def test_ids_that_a_model_used_again_are_told_apart() -> None:
    """Some models call their first call "0" in every answer."""
    again = (assistant(call("0", '{"path": "b"}')), user(result("0", "B")))
    messages = said(request(user_text("q"), assistant(call("0")), user(result("0", "A")), *again))
    assert [message["content"] for message in messages if message["role"] == "tool"] == ["A", "B"]


def test_arguments_reach_the_server_as_the_model_wrote_them_but_always_as_an_object() -> None:
    raw = '{ "path":"ä",  "n": 1.0 }'
    history = (
        user_text("q"),
        assistant(call("c1", raw), call("c2", '{"cut'), call("c3", "3")),
        user(result("c1"), result("c2"), result("c3")),
    )
    calls = said(request(*history))[1]["tool_calls"]
    assert calls[0]["function"]["arguments"] == raw
    assert json.loads(calls[1]["function"]["arguments"]) == {"unparsed_arguments": '{"cut'}
    assert json.loads(calls[2]["function"]["arguments"]) == {"unparsed_arguments": "3"}


@pytest.mark.parametrize("quirks", [(), ("nine_char_ids",)])
def test_ids_are_made_acceptable_and_still_match(quirks: tuple[str, ...]) -> None:
    long_id, other = "functions." + "x" * 80, "functions." + "y" * 80
    history = (user_text("q"), assistant(call(long_id), call(other)), user(result(long_id), result(other)))
    messages = said(request(*history), *quirks)
    ids = [one["id"] for one in messages[1]["tool_calls"]]
    assert len(set(ids)) == 2
    assert ids == [messages[2]["tool_call_id"], messages[3]["tool_call_id"]]
    assert all((len(one) == 9 and one.isalnum()) if quirks else len(one) <= 40 for one in ids)


def test_quirks_of_messages() -> None:
    history = (*ROUND[:2], user(result("c1"), TextBlock(text="more")))
    plain = said(request(*history))
    assert [message["role"] for message in plain] == ["user", "assistant", "tool", "user"]
    between = said(request(*history), "assistant_after_tool")
    assert [message["role"] for message in between] == ["user", "assistant", "tool", "assistant", "user"]
    assert said(request(*history), "name_in_results")[2]["name"] == "read_file"
    assert said(request(*history), "empty_content")[1]["content"] == ""


# --- images -----------------------------------------------------------------------------------------------------------


def test_images_are_content_parts_and_those_of_tools_follow_in_a_user_message() -> None:
    picture = ImageBlock(media_type="image/jpeg", data="aGk=")
    history = (
        user(TextBlock(text="see"), picture),
        assistant(call("c1"), call("c2")),
        user(result("c1", "", images=(picture,)), result("c2", "B"), TextBlock(text="well?")),
    )
    messages = said(request(*history))
    image = {"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,aGk="}}
    assert messages[0]["content"] == [{"type": "text", "text": "see"}, image]
    assert [message["role"] for message in messages] == ["user", "assistant", "tool", "tool", "user"]
    assert messages[4]["content"][1:] == [image, {"type": "text", "text": "well?"}]


# --- reasoning --------------------------------------------------------------------------------------------------------


def test_c17_the_request_overrides_the_model_and_disabled_silences_the_effort() -> None:
    model = Model(provider="o", id="m", thinking="enabled", reasoning_effort="high")
    body = built(request(), model)
    assert (body["thinking"], body["reasoning_effort"]) == ({"type": "enabled"}, "high")
    off = built(request(*THOUGHT_ROUND, thinking="disabled"), model)
    assert off["thinking"] == {"type": "disabled"}
    assert "reasoning_effort" not in off
    assert "hmm" not in json.dumps(off)


def test_a45_a_budget_travels_in_the_servers_own_field() -> None:
    asked = request(reasoning_budget=500)
    assert built(asked)["thinking"] == {"type": "enabled", "budget_tokens": 500}
    local = built(asked, MODEL, "llama_options")
    assert local["reasoning_budget_tokens"] == 500
    assert "thinking" not in local
    assert built(asked, MODEL, "reasoning_object")["reasoning"] == {"max_tokens": 500}


@pytest.mark.parametrize(
    ("options", "sent"),
    [
        ({"reasoning_effort": "low"}, {"effort": "low"}),
        ({"thinking": "enabled"}, {"enabled": True}),
        ({"thinking": "disabled", "reasoning_effort": "low"}, {"enabled": False}),
    ],
)
def test_one_object_for_all_of_reasoning(options: dict[str, Any], sent: dict[str, Any]) -> None:
    body = built(request(**options), MODEL, "reasoning_object")
    assert body["reasoning"] == sent
    assert not {"thinking", "reasoning_effort"} & set(body)


@pytest.mark.parametrize(
    ("quirk", "field"), [("", "reasoning_content"), ("replay_as_reasoning", "reasoning"), ("no_reasoning_replay", None)]
)
def test_reasoning_goes_back_in_the_servers_own_field(quirk: str, field: str | None) -> None:
    message = said(request(*THOUGHT_ROUND), quirk)[1]
    assert {key: value for key, value in message.items() if "reasoning" in key} == ({field: "hmm"} if field else {})


def test_reasoning_of_finished_turns_stays_behind_where_only_the_running_one_counts() -> None:
    history = (*THOUGHT_ROUND, assistant(THOUGHT, TextBlock(text="a")), user_text("next"), *THOUGHT_ROUND[1:])
    messages = said(request(*history), "recent_reasoning")
    thinking = ["reasoning_content" in message for message in messages if message["role"] == "assistant"]
    assert thinking == [False, False, True]


def test_signed_reasoning_goes_back_as_it_came() -> None:
    signed = {"type": "reasoning.text", "signature": "sig", "format": "anthropic-claude-v1", "index": 0}
    sealed = {"type": "reasoning.encrypted", "data": "abc", "id": "c1", "index": 1}
    blocks = (ThinkingBlock(thinking="hmm", signature=pack(signed)), ThinkingBlock(redacted=pack(sealed)))
    history = (user_text("q"), assistant(*blocks, call("c1")), user(result("c1")))
    message = said(request(*history), "reasoning_details")[1]
    assert message["reasoning_details"] == [signed | {"text": "hmm"}, sealed]
    assert "reasoning_content" not in message


def test_proof_of_another_vendor_is_not_sent_as_ones_own() -> None:
    blocks = (ThinkingBlock(thinking="hmm", signature="c2ln"), ThinkingBlock(redacted="ZGF0YQ=="))
    message = said(
        request(user_text("q"), assistant(*blocks, TextBlock(text="a")), user_text("r")), "reasoning_details"
    )[1]
    assert {key: value for key, value in message.items() if "reasoning" in key} == {"reasoning": "hmm"}


def test_googles_extra_content_goes_back_with_its_call() -> None:
    extra = {"extra_content": {"google": {"thought_signature": "abc"}}}
    signed = ToolUseBlock(id="c1", name="read_file", arguments="{}", signature=pack(extra))
    foreign = ToolUseBlock(id="c2", name="read_file", arguments="{}", signature="gemini:xyz")
    calls = said(request(user_text("q"), assistant(signed, foreign), user(result("c1"), result("c2"))))[1]["tool_calls"]
    assert calls[0]["extra_content"] == extra["extra_content"]
    assert set(calls[1]) == {"id", "type", "function"}


# --- formats, grammar, cache ------------------------------------------------------------------------------------------


def test_a_bare_schema_is_wrapped_and_the_dialects_own_shape_kept() -> None:
    schema = {"type": "object", "properties": {}}
    assert built(request(response_format=schema))["response_format"]["json_schema"]["schema"] == schema
    assert built(request(response_format={"type": "json_object"}))["response_format"] == {"type": "json_object"}


def test_a_grammar_goes_only_to_servers_that_know_grammars() -> None:
    asked = request(grammar="root ::= 'a'")
    assert "grammar" not in built(asked)
    assert built(asked, MODEL, "llama_options")["grammar"] == "root ::= 'a'"


def test_cache_marks_for_gateways_that_pass_them_on() -> None:
    asked = request(*ROUND, system=("s", "t"), dynamic_boundary=1)
    messages = said(asked, "cache_marks")
    mark = {"cache_control": {"type": "ephemeral"}}
    assert messages[0]["content"] == [{"type": "text", "text": "s"} | mark, {"type": "text", "text": "t"}]
    assert messages[1]["content"] == [{"type": "text", "text": "q"} | mark]
    assert messages[3]["content"] == [{"type": "text", "text": "ok"} | mark]
    assert "cache_control" not in json.dumps(said(asked))


def test_a_request_is_not_changed_by_building() -> None:
    asked = request(*ROUND, system=("s",), dynamic_boundary=1, tools=(READ,), thinking="enabled")
    first = json.dumps(build(asked, MODEL, quirks=("cache_marks",)))
    assert json.dumps(build(asked, MODEL, quirks=("cache_marks",))) == first
