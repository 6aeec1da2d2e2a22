"""OpenAI requests as ours: what is read, what is refused, what has no effect and says so."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kram.gateway.http.problems import Problem
from kram.gateway.http.request import parse, read
from kram.messages import ImageBlock, TextBlock, ThinkingBlock, ToolResultBlock, ToolUseBlock

ASK = [{"role": "user", "content": "hi"}]


def body(**fields: Any) -> dict[str, Any]:
    return {"model": "main", "messages": ASK, **fields}


def call(call_id: str, arguments: str = "{}", **more: Any) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": "f", "arguments": arguments}, **more}


def tool(name: str = "f", **function: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, **function}}


def test_options_arrive_and_unset_ones_stay_unset() -> None:
    asked = read(
        body(
            temperature=0,
            seed=-3,
            stop="END",
            max_tokens=10,
            max_completion_tokens=20,
            reasoning_effort="low",
            tools=[tool(description="d", parameters={"type": "object"})],
            tool_choice={"type": "function", "function": {"name": "f"}},
            stream=True,
            stream_options={"include_usage": True},
        )
    )
    request = asked.request
    assert (request.temperature, request.seed, request.stop, request.max_tokens) == (0.0, -3, ("END",), 20)
    assert (request.reasoning_effort, request.tool_choice, request.tools[0].description) == ("low", "f", "d")
    assert asked.stream
    assert asked.include_usage
    plain = read(body()).request
    assert (plain.temperature, plain.seed, plain.stop, plain.max_tokens) == (None, None, (), 0)


def test_null_is_the_same_as_absent() -> None:
    names = ("temperature", "seed", "stop", "max_tokens", "tools", "tool_choice", "stream_options", "n", "functions")
    assert read(body(**dict.fromkeys(names))) == read(body())


def test_what_has_no_effect_is_told_unless_it_asks_for_nothing() -> None:
    assert read(body(top_p=0.2, frequency_penalty=0, presence_penalty=1, parallel_tool_calls=True)).ignored == (
        "presence_penalty",
        "top_p",
    )


def test_leading_system_text_is_the_system_and_a_later_one_keeps_its_place() -> None:
    request = read(
        body(
            messages=[
                {"role": "system", "content": "one"},
                {"role": "developer", "content": [{"type": "text", "text": "two"}]},
                {"role": "user", "content": "a"},
                {"role": "assistant", "content": "b"},
                {"role": "system", "content": "three"},
                {"role": "user", "content": "c"},
            ]
        )
    ).request
    assert request.system == ("one", "two")
    assert [message.role for message in request.messages] == ["user", "assistant", "user"]
    assert request.messages[2].content == (TextBlock(text="<system>\nthree\n</system>"), TextBlock(text="c"))


def test_calls_and_results_find_each_other_and_keep_the_proofs() -> None:
    request = read(
        body(
            messages=[
                *ASK,
                {
                    "role": "assistant",
                    "content": None,
                    "reasoning_content": "never used twice",
                    "reasoning_details": [
                        {"type": "reasoning.text", "text": "t", "signature": "s"},
                        {"type": "reasoning.encrypted", "data": "e"},
                    ],
                    "tool_calls": [call("1", '{"a": 1}', extra_content={"kram": {"signature": "p"}}), call("2", "")],
                },
                {"role": "tool", "tool_call_id": "2", "content": "two"},
                {
                    "role": "tool",
                    "tool_call_id": "1",
                    "content": [
                        {"type": "text", "text": "one"},
                        {"type": "image_url", "image_url": {"url": "data:image/gif;base64,QUJD"}},
                    ],
                },
            ]
        )
    ).request
    assert request.messages[1].content == (
        ThinkingBlock(thinking="t", signature="s"),
        ThinkingBlock(redacted="e"),
        ToolUseBlock(id="1", name="f", arguments='{"a": 1}', signature="p"),
        ToolUseBlock(id="2", name="f"),
    )
    assert request.messages[2].content == (
        ToolResultBlock(tool_use_id="2", tool_name="f", text="two"),
        ToolResultBlock(
            tool_use_id="1", tool_name="f", text="one", images=(ImageBlock(media_type="image/gif", data="QUJD"),)
        ),
    )


@pytest.mark.parametrize(
    ("url", "image"),
    [
        ("https://example.org/a.png", ImageBlock(url="https://example.org/a.png")),
        ("data:image/PNG;base64,QU\nJD", ImageBlock(media_type="image/png", data="QUJD")),
    ],
)
def test_images_come_by_address_or_inside(url: str, image: ImageBlock) -> None:
    content = [{"type": "image_url", "image_url": {"url": url, "detail": "low"}}]
    assert read(body(messages=[{"role": "user", "content": content}])).request.messages[0].content == (image,)


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"n": 2}, "n"),
        ({"n": True}, "n"),
        ({"logprobs": True}, "logprobs"),
        ({"modalities": ["text", "audio"]}, "modalities"),
        ({"functions": []}, "functions"),
        ({"function_call": "auto"}, "function_call"),
        ({"stream": "yes"}, "stream"),
        ({"temperature": 3}, "temperature"),
        ({"temperature": "hot"}, "temperature"),
        ({"seed": 1.5}, "seed"),
        ({"stop": [1]}, "stop[0]"),
        ({"max_completion_tokens": -1}, "max_completion_tokens"),
        ({"tools": [{"type": "web_search"}]}, "tools[0].type"),
        ({"tools": [tool("has space")]}, "tools[0].function.name"),
        ({"tools": [tool(), tool()]}, "tools[1].function.name"),
        ({"tools": [tool(parameters=[1])]}, "tools[0].function.parameters"),
        ({"tools": [tool()], "tool_choice": "maybe"}, "tool_choice"),
        ({"tools": [tool()], "tool_choice": {"type": "function", "function": {"name": "g"}}}, "tool_choice"),
        ({"response_format": {"type": "xml"}}, "response_format.type"),
        ({"response_format": {"type": "json_schema"}}, "response_format.json_schema"),
        ({"messages": None}, "messages"),
        ({"messages": "hi"}, "messages"),
        ({"messages": ["hi"]}, "messages[0]"),
        ({"messages": [{"role": "system", "content": "alone"}]}, "messages"),
        ({"messages": [{"role": "user"}]}, "messages[0].content"),
        ({"messages": [{"role": "function", "content": "x"}]}, "messages[0].role"),
        ({"messages": [*ASK, {"role": "tool", "tool_call_id": "9", "content": "x"}]}, "messages[1].tool_call_id"),
        ({"messages": [{"role": "assistant", "tool_calls": [{"id": "1"}]}]}, "messages[0].tool_calls[0].function"),
        ({"messages": [{"role": "user", "content": [{"type": "input_audio"}]}]}, "messages[0].content[0].type"),
        (
            {
                "messages": [
                    {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "file:///etc/passwd"}}]}
                ]
            },
            "messages[0].content[0].image_url.url",
        ),
    ],
)
def test_what_cannot_be_had_is_refused_with_the_place(fields: dict[str, Any], param: str) -> None:
    with pytest.raises(Problem) as caught:
        read(body(**fields))
    assert caught.value.status == 400
    assert caught.value.param == param


JSON: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
FIELDS = ("messages", "tools", "tool_choice", "stop", "response_format", "stream_options", "n", "temperature", "model")
PARTS = ("role", "content", "tool_calls", "tool_call_id", "reasoning_details", "refusal", "function", "type", "text")
ROLES = st.sampled_from(["system", "user", "assistant", "tool"])
MESSAGE = st.builds(
    lambda role, more: {**more, "role": role}, ROLES, st.dictionaries(st.sampled_from(PARTS), JSON, max_size=4)
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=4), st.lists(MESSAGE, max_size=4))
def test_no_body_breaks_it(fields: dict[str, Any], messages: list[Any]) -> None:
    """Whatever comes is read or refused; nothing else happens."""
    for found in (fields, {**fields, "messages": messages}):
        try:
            parse(json.dumps(found).encode())
        except Problem as problem:
            assert problem.status == 400


@pytest.mark.parametrize("raw", [b"", b"\xff\xfe", b"null", b"3", b"[" * 200_000, b'{"messages": "\\ud800"}'])
def test_what_is_no_json_object_is_refused(raw: bytes) -> None:
    with pytest.raises(Problem):
        parse(raw)
