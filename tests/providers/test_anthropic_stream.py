"""What the Messages reader makes of gateways that copy the format loosely, of errors and of early ends."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from kram.messages import Accumulator, Completion, StreamEvent, TextBlock, ThinkingBlock, ToolUseBlock
from kram.providers import (
    AuthFailed,
    ContextOverflow,
    Incomplete,
    InvalidRequest,
    ModelMissing,
    ProviderError,
    RateLimited,
    ServerEvent,
    ServerFailed,
)
from kram.providers.anthropic.stream import Reader, read_body


def folded(events: list[StreamEvent]) -> Completion:
    accumulator = Accumulator()
    for event in events:
        accumulator.add(event)
    return accumulator.completion()


def fed(*events: Any, reader: Reader | None = None) -> list[StreamEvent]:
    reader = reader or Reader()
    found: list[StreamEvent] = []
    for event in events:
        text = event if isinstance(event, str) else json.dumps(event)
        found += reader.feed(ServerEvent(data=text))
    return found


def read(*events: Any) -> Completion:
    reader = Reader()
    found = fed(*events, reader=reader)
    return folded(found + reader.close())


def start(**usage: Any) -> dict[str, Any]:
    return {"type": "message_start", "message": {"model": "claude", "usage": usage}}


def block(content: dict[str, Any], *deltas: dict[str, Any], index: int = 0, stop: bool = True) -> list[dict[str, Any]]:
    begin = {"type": "content_block_start", "index": index, "content_block": content}
    middle = [{"type": "content_block_delta", "index": index, "delta": one} for one in deltas]
    return [begin, *middle, *([{"type": "content_block_stop", "index": index}] if stop else [])]


def end(reason: str | None = "end_turn", **usage: Any) -> list[dict[str, Any]]:
    return [{"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}, {"type": "message_stop"}]


def say(text: str, index: int = 0) -> list[dict[str, Any]]:
    return block({"type": "text", "text": ""}, {"type": "text_delta", "text": text}, index=index)


def tool(*pieces: str, index: int = 0, stop: bool = True, **fields: Any) -> list[dict[str, Any]]:
    content = {"type": "tool_use", "id": "t1", "name": "f", "input": {}} | fields
    return block(
        content, *({"type": "input_json_delta", "partial_json": one} for one in pieces), index=index, stop=stop
    )


def test_c8_the_placeholder_of_the_start_does_not_count() -> None:
    usage = read(start(input_tokens=10, output_tokens=1), *say("x"), *end(input_tokens=10, output_tokens=7)).usage
    assert (usage.input, usage.output) == (10, 7)
    assert read(start(input_tokens=10, output_tokens=1), *say("x"), *end()).usage.output == 0


def test_c2_the_prompt_is_the_sum_of_its_parts() -> None:
    figures = {"input_tokens": 10, "cache_read_input_tokens": 90, "cache_creation_input_tokens": 5}
    usage = read(start(**figures), *end()).usage
    assert (usage.input, usage.cache_read, usage.cache_write) == (105, 90, 5)


def test_blocks_written_at_the_same_time_keep_apart() -> None:
    one, two = tool('{"a":', "1}", index=0, id="a"), tool('{"b":', "2}", index=1, id="b")
    mixed = [one[0], two[0], one[1], two[1], one[2], two[2], two[3], one[3]]
    found = read(start(), *mixed, *end("tool_use")).content
    assert [(c.id, c.arguments) for c in found if isinstance(c, ToolUseBlock)] == [("a", '{"a":1}'), ("b", '{"b":2}')]


def test_arguments_may_come_whole_with_the_start() -> None:
    (call,) = read(start(), *tool(input={"a": 1}), *end("tool_use")).content
    assert isinstance(call, ToolUseBlock)
    assert json.loads(call.arguments) == {"a": 1}


def test_text_and_thinking_may_come_whole_with_the_start() -> None:
    thought = block({"type": "thinking", "thinking": "t", "signature": "s"}, index=0)
    text = block({"type": "text", "text": "x"}, index=1)
    assert read(start(), *thought, *text, *end()).content == (
        ThinkingBlock(thinking="t", signature="s"),
        TextBlock(text="x"),
    )


def test_a_call_without_or_with_a_repeated_id_gets_one_of_its_own() -> None:
    found = read(start(), *tool(id=None), *tool(index=1), *tool(index=2), *end("tool_use")).content
    ids = [call.id for call in found if isinstance(call, ToolUseBlock)]
    assert len(set(ids)) == 3
    assert all(ids)


def test_a_call_that_was_not_closed_is_not_complete() -> None:
    completion = read(start(), *tool('{"a":', stop=False), *end("max_tokens"))
    assert completion.content == ()
    assert [call.arguments for call in completion.unfinished] == ['{"a":']


def test_kinds_that_nobody_knows_are_passed_over() -> None:
    new = block({"type": "hologram"}, {"type": "hologram_delta", "text": "zzz"}, {"type": "text_delta", "text": "zzz"})
    completion = read(start(), {"type": "novelty"}, *new, *say("x", 1), *end())
    assert completion.content == (TextBlock(text="x"),)


def test_events_without_an_index_belong_to_the_newest_block() -> None:
    events = [{key: value for key, value in one.items() if key != "index"} for one in say("x")]
    assert read(start(), *events, *end()).content == (TextBlock(text="x"),)


def test_a_refusal_keeps_what_was_said_and_tells_the_reason() -> None:
    stop = {"stop_reason": "refusal", "stop_details": {"type": "refusal", "explanation": "against policy"}}
    completion = read(
        start(), *say("Hi"), {"type": "message_delta", "delta": stop, "usage": {}}, {"type": "message_stop"}
    )
    assert (completion.stop_reason, completion.refusal) == ("refusal", "against policy")


@pytest.mark.parametrize("events", [[], [start()], [start(), *say("x")], [start(), *say("x"), end()[0]]])
def test_without_the_terminal_event_it_is_incomplete(events: list[Any]) -> None:
    with pytest.raises(Incomplete):
        read(*events)


@pytest.mark.parametrize(
    ("word", "message", "kind"),
    [
        ("overloaded_error", "Overloaded", ServerFailed),
        ("api_error", "Internal server error", ServerFailed),
        ("rate_limit_error", "slow down", RateLimited),
        ("authentication_error", "who?", AuthFailed),
        ("permission_error", "no", AuthFailed),
        ("not_found_error", "model: x", ModelMissing),
        ("invalid_request_error", "bad", InvalidRequest),
        ("invalid_request_error", "prompt is too long: 3 > 2", ContextOverflow),
        ("request_too_large", "too large", ContextOverflow),
    ],
)
def test_an_error_inside_the_stream_is_named_by_its_type(word: str, message: str, kind: type[ProviderError]) -> None:
    error = {"type": "error", "error": {"type": word, "message": message}}
    for failing in (lambda: read(start(), *say("x"), error), lambda: read_body(error)):
        with pytest.raises(ProviderError) as caught:
            failing()
        assert type(caught.value) is kind
        assert message in caught.value.what


def test_a_retryable_error_says_so_and_a_wrong_request_does_not() -> None:
    for word, retryable in (("overloaded_error", True), ("invalid_request_error", False)):
        with pytest.raises(ProviderError) as caught:
            fed({"type": "error", "error": {"type": word, "message": "x"}})
        assert caught.value.retryable is retryable


def test_an_event_that_is_not_json_fails_the_answer() -> None:
    with pytest.raises(ServerFailed):
        read(start(), '{"type": "content_block_d')


def test_nothing_after_the_end_counts() -> None:
    assert read(start(), *say("x"), *end(), *say("y", 1), {"type": "error", "error": {"message": "late"}}).content == (
        TextBlock(text="x"),
    )


def test_no_shape_of_an_event_breaks_the_reader() -> None:
    """Random values in random places: an answer or a `ProviderError`, never anything else."""
    dice = random.Random(11)
    values: list[Any] = [None, True, -1, 2.5, "", "x", [], {}, ["x"], {"a": None}]
    kinds = ["message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta"]
    inner = ["text", "thinking", "redacted_thinking", "tool_use", "server_tool_use", "text_delta", "input_json_delta"]
    for _ in range(3000):
        events = []
        for _ in range(4):
            body = {
                key: dice.choice(values)
                for key in (
                    "text",
                    "thinking",
                    "signature",
                    "data",
                    "id",
                    "name",
                    "input",
                    "partial_json",
                    "usage",
                    "stop_reason",
                )
            }
            body["type"] = dice.choice(inner)
            event = {key: dice.choice([*values, body]) for key in ("message", "content_block", "delta", "usage")}
            events.append(event | {"type": dice.choice(kinds), "index": dice.choice([0, 1, None, "x"])})
        try:
            read(*events, *end())
            read_body(
                {
                    "content": [dice.choice([*values, body])],
                    "usage": dice.choice(values),
                    "stop_reason": dice.choice(values),
                }
            )
        except ProviderError:
            continue


def test_c31_a_whole_body_adds_up_to_the_same_answer_as_the_stream() -> None:
    content = [
        {"type": "thinking", "thinking": "t", "signature": "s"},
        {"type": "text", "text": "x"},
        {"type": "tool_use", "id": "t1", "name": "f", "input": {"a": 1}},
    ]
    usage = {"input_tokens": 3, "output_tokens": 4}
    whole = read_body({"model": "claude", "content": content, "stop_reason": "tool_use", "usage": usage})
    thought = block(
        {"type": "thinking", "thinking": ""},
        {"type": "thinking_delta", "thinking": "t"},
        {"type": "signature_delta", "signature": "s"},
    )
    streamed = read(
        start(input_tokens=3), *thought, *say("x", 1), *tool('{"a": 1}', index=2), *end("tool_use", output_tokens=4)
    )
    assert folded(whole) == streamed


def test_a_call_at_the_end_of_a_whole_answer_that_ran_out_of_room_is_not_run() -> None:
    content = [{"type": "tool_use", "id": name, "name": name, "input": {}} for name in ("a", "b")]
    completion = folded(read_body({"content": content, "stop_reason": "max_tokens"}))
    assert [call.name for call in completion.content if isinstance(call, ToolUseBlock)] == ["a"]
    assert [call.name for call in completion.unfinished] == ["b"]


def test_a_body_that_is_no_message_is_a_server_failure() -> None:
    with pytest.raises(ServerFailed):
        read_body({"choices": []})
