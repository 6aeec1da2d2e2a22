"""What the Chat Completions reader makes of servers that leave something away, send it twice or send it otherwise."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from kram.messages import (
    Accumulator,
    Completion,
    StreamEvent,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    ToolUseStopped,
)
from kram.providers import (
    AuthFailed,
    Incomplete,
    InvalidRequest,
    ModelMissing,
    ProviderError,
    RateLimited,
    ServerEvent,
    ServerFailed,
)
from kram.providers.openai_chat.stream import Reader, read_body
from kram.providers.openai_chat.tokens import pack, unpack


def folded(events: list[StreamEvent]) -> Completion:
    accumulator = Accumulator()
    for event in events:
        accumulator.add(event)
    return accumulator.completion()


def fed(*chunks: Any, done: bool = True) -> list[StreamEvent]:
    reader = Reader()
    events: list[StreamEvent] = []
    for chunk in chunks:
        events += reader.feed(ServerEvent(data=chunk if isinstance(chunk, str) else json.dumps(chunk)))
    if done:
        events += reader.feed(ServerEvent(data="[DONE]"))
    return events + reader.close()


def read(*chunks: Any, done: bool = True) -> Completion:
    return folded(fed(*chunks, done=done))


def delta(finish: str | None = None, index: int = 0, **fields: Any) -> dict[str, Any]:
    return {"model": "m", "choices": [{"index": index, "delta": fields, "finish_reason": finish}]}


def part(arguments: Any = None, *, name: str = "", call_id: str = "", index: int | None = None) -> dict[str, Any]:
    function = ({"name": name} if name else {}) | ({"arguments": arguments} if arguments is not None else {})
    return (
        ({"id": call_id} if call_id else {}) | ({"index": index} if index is not None else {}) | {"function": function}
    )


def calls(*fragments: dict[str, Any], finish: str | None = "tool_calls") -> list[tuple[str, str, str]]:
    """Name, arguments and id of each call, from one fragment a chunk."""
    completion = read(*(delta(tool_calls=[one]) for one in fragments), delta(finish=finish))
    return [(c.name, c.arguments, c.id) for c in completion.content if isinstance(c, ToolUseBlock)]


# --- calls ------------------------------------------------------------------------------------------------------------


def test_c11_interleaved_parallel_calls_keep_their_own_arguments() -> None:
    found = calls(
        part('{"a"', name="one", call_id="x", index=0),
        part('{"b"', name="two", call_id="y", index=1),
        part(":1}", index=0),
        part(":2}", index=1),
    )
    assert found == [("one", '{"a":1}', "x"), ("two", '{"b":2}', "y")]


def test_parallel_calls_that_all_have_index_zero_are_told_apart() -> None:
    by_id = calls(part("{}", name="f", call_id="x", index=0), part("{}", name="f", call_id="y", index=0))
    assert [one[2] for one in by_id] == ["x", "y"]
    without_id = calls(part('{"a":1}', name="f", index=0), part('{"a":2}', name="f", index=0))
    assert [one[1] for one in without_id] == ['{"a":1}', '{"a":2}']
    assert len({one[2] for one in without_id}) == 2


def test_calls_without_an_index_go_by_id_else_to_the_newest() -> None:
    found = calls(
        part('{"a":', name="f", call_id="x"), part("1}"), part("{}", name="g", call_id="y"), part("{}", name="g")
    )
    assert [one[:2] for one in found] == [("f", '{"a":1}'), ("g", "{}"), ("g", "{}")]
    assert calls(part('{"a":', name="f", call_id="x"), part("1}", call_id="x"))[0][1] == '{"a":1}'


def test_a_name_sent_with_each_fragment_is_not_joined() -> None:
    found = calls(
        part('{"a"', name="f", call_id="x", index=0),
        part(":1}", name="f", call_id="x", index=0),
        part("", name="f", call_id="", index=0),
    )
    assert found == [("f", '{"a":1}', "x")]


def test_a_call_is_announced_when_its_name_is_known_and_keeps_what_came_before() -> None:
    assert calls(part('{"a"', call_id="x", index=0), part(":1}", name="f", index=0)) == [("f", '{"a":1}', "x")]
    assert calls(part("{}", index=0)) == []


@pytest.mark.parametrize(
    ("arguments", "text"), [({"a": 1}, '{"a": 1}'), ({}, "{}"), (None, ""), ('{"a":1}', '{"a":1}'), (7, "")]
)
def test_a46_arguments_as_object_text_null_or_nothing(arguments: Any, text: str) -> None:
    assert calls(part(arguments, name="f", call_id="x", index=0))[0][1] == text


def test_missing_and_repeated_ids_become_unique_ones() -> None:
    found = calls(
        part("{}", name="f", index=0),
        part("{}", name="g", index=1),
        part("{}", name="h", call_id="x", index=2),
        part("{}", name="i", call_id="x", index=3),
    )
    ids = [one[2] for one in found]
    assert len(set(ids)) == 4
    assert all(ids)
    assert "x" in ids


def test_gaps_in_the_index_do_not_matter() -> None:
    assert [one[0] for one in calls(part("{}", name="f", index=5), part("{}", name="g", index=2))] == ["f", "g"]


def test_two_hundred_parallel_calls_and_five_megabytes_in_small_pieces() -> None:
    many = calls(*(part("{}", name="f", call_id=f"c{n}", index=n) for n in range(200)))
    assert len(many) == 200
    pieces = ['{"text":"', *(["x" * 50] * 100_000), '"}']
    reader = Reader()
    chunks = [delta(tool_calls=[part(piece, name="" if n else "f", index=0)]) for n, piece in enumerate(pieces)]
    events = [
        event
        for one in [*chunks, delta(finish="tool_calls")]
        for event in reader.feed(ServerEvent(data=json.dumps(one)))
    ]
    (block,) = folded(events + reader.close()).content
    assert isinstance(block, ToolUseBlock)
    assert len(block.arguments) == 5_000_011


@pytest.mark.parametrize("finish", ["length", "content_filter"])
def test_a_call_that_was_cut_off_is_never_complete(finish: str) -> None:
    whole, cut = part("{}", name="f", call_id="x", index=0), part('{"a":', name="g", call_id="y", index=1)
    completion = read(delta(tool_calls=[whole, cut]), delta(finish=finish))
    assert [c.name for c in completion.content if isinstance(c, ToolUseBlock)] == ["f"]
    assert [c.name for c in completion.unfinished] == ["g"]


def test_a_cut_call_without_arguments_is_not_taken_for_one_that_has_none() -> None:
    assert read(delta(tool_calls=[part("", name="f", call_id="x", index=0)]), delta(finish="length")).content == ()


def test_a46_a_stream_that_ends_in_a_call_is_incomplete_and_the_call_stays_open() -> None:
    reader, accumulator = Reader(), Accumulator()
    events = reader.feed(ServerEvent(data=json.dumps(delta(tool_calls=[part("{}", name="f", call_id="x", index=0)]))))
    for event in events:
        accumulator.add(event)
    with pytest.raises(Incomplete):
        reader.close()
    assert not any(isinstance(event, ToolUseStopped) for event in events)
    assert [call.name for call in accumulator.completion().unfinished] == ["f"]


def test_the_old_form_of_a_call_is_read() -> None:
    completion = read(
        delta(function_call={"name": "f", "arguments": "{"}),
        delta(function_call={"arguments": "}"}),
        delta("function_call"),
    )
    assert [c.arguments for c in completion.content if isinstance(c, ToolUseBlock)] == ["{}"]
    assert completion.stop_reason == "tool_use"


# --- text, reasoning, refusal -----------------------------------------------------------------------------------------


def test_c11_only_the_first_filled_reasoning_field_counts() -> None:
    both = delta(reasoning_content="a", reasoning="b", reasoning_text="c")
    assert read(both, delta("stop")).content == (ThinkingBlock(thinking="a"),)
    assert read(delta(reasoning_content="", reasoning=None, reasoning_text="c"), delta("stop")).content == (
        ThinkingBlock(thinking="c"),
    )


def test_details_bring_text_only_where_no_field_does_and_always_their_proof() -> None:
    signed = {"type": "reasoning.text", "text": "a", "signature": "sig", "format": "f"}
    sealed = {"type": "reasoning.encrypted", "data": "xyz", "id": "r1"}
    for fields in ({"reasoning": "a"}, {}):
        content = read(delta(reasoning_details=[signed, sealed], **fields), delta("stop")).content
        assert isinstance(content[0], ThinkingBlock)
        assert isinstance(content[1], ThinkingBlock)
        assert content[0].thinking == "a"
        assert unpack(content[0].signature) == {"type": "reasoning.text", "signature": "sig", "format": "f"}
        assert unpack(content[1].redacted) == sealed


def test_googles_extra_content_is_kept_with_its_call() -> None:
    extra = {"google": {"thought_signature": "abc"}}
    fragment = part("{}", name="f", call_id="x", index=0) | {"extra_content": extra}
    (call,) = read(delta(tool_calls=[fragment]), delta("tool_calls")).content
    assert isinstance(call, ToolUseBlock)
    assert call.signature == pack({"extra_content": extra})


def test_a_refusal_is_told_apart_from_text() -> None:
    completion = read(delta(refusal="I can"), delta(refusal="not."), delta("stop"))
    assert (completion.refusal, completion.stop_reason, completion.content) == ("I cannot.", "refusal", ())


@pytest.mark.parametrize("content", [None, "", [], [None], [{"type": "image_url"}], {}, 7])
def test_content_that_says_nothing_says_nothing(content: Any) -> None:
    assert read(delta(content=content), delta("stop")).content == ()


def test_only_the_first_choice_counts() -> None:
    assert read(delta(content="a"), delta(index=1, content="b"), delta("stop"), delta("stop", index=1)).content == (
        TextBlock(text="a"),
    )


# --- the end ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("finish", "stop"),
    [
        ("stop", "end_turn"),
        ("length", "max_tokens"),
        ("tool_calls", "tool_use"),
        ("content_filter", "content_filter"),
        ("odd", "odd"),
    ],
)
def test_c11_finish_reasons(finish: str, stop: str) -> None:
    completion = read(delta(content="x"), delta(finish))
    assert (completion.stop_reason, completion.finish_reason, completion.finished) == (stop, finish, True)


def test_calls_make_a_tool_use_even_where_the_server_says_stop_or_nothing() -> None:
    for finish in ("stop", None):
        completion = read(delta(tool_calls=[part("{}", name="f", call_id="x", index=0)]), delta(finish))
        assert completion.stop_reason == "tool_use"


def test_either_mark_ends_an_answer_and_none_is_incomplete() -> None:
    assert read(delta(content="x"), delta("stop"), done=False).finished
    assert read(delta(content="x"), done=True).finished
    with pytest.raises(Incomplete):
        read(delta(content="x"), done=False)
    with pytest.raises(Incomplete):
        read(done=False)


def test_a_finish_reason_that_means_failure_is_one() -> None:
    with pytest.raises(ServerFailed):
        read(delta(content="x"), delta("error"))


def test_usage_may_come_anywhere_and_the_last_figure_wins() -> None:
    first = {"prompt_tokens": 10, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 3}}
    last = {"prompt_tokens": 12, "completion_tokens": 7, "completion_tokens_details": {"reasoning_tokens": 5}}
    usage = read(delta(content="x") | {"usage": first}, delta("stop"), {"choices": [], "usage": last}).usage
    assert (usage.input, usage.output, usage.cache_read, usage.reasoning) == (12, 7, 3, 5)
    moonshot = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop", "usage": first}]}
    assert read(moonshot).usage.cache_read == 3
    assert read(delta("stop") | {"x_groq": {"usage": last}}).usage.input == 12


@pytest.mark.parametrize("usage", [None, [], {"prompt_tokens": -5}, {"prompt_tokens": "many"}, {"prompt_tokens": True}])
def test_p27_figures_that_are_none_are_not_reported(usage: Any) -> None:
    assert not read(delta("stop") | {"usage": usage}).usage_reported


# --- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"message": "x", "code": 429}, RateLimited),
        ({"message": "x", "code": "429"}, RateLimited),
        ({"message": "x", "code": 502}, ServerFailed),
        ({"message": "x", "code": 400}, InvalidRequest),
        ({"message": "x", "type": "invalid_request_error", "code": "invalid_api_key"}, AuthFailed),
        ({"message": "x", "code": "model_not_found"}, ModelMissing),
        ({"message": "Rate limit reached"}, RateLimited),
        ("just text", ServerFailed),
        ({"message": "Error 4011"}, ServerFailed),
    ],
)
def test_an_error_inside_the_stream_is_named_by_its_code_else_by_its_words(
    error: Any, kind: type[ProviderError]
) -> None:
    with pytest.raises(ProviderError) as caught:
        read(delta(content="x"), {"error": error})
    assert type(caught.value) is kind


def test_a_chunk_that_is_not_json_fails_the_answer() -> None:
    for broken in ('{"choices": [', "[" * 100_000, "<html>"):
        with pytest.raises(ServerFailed):
            read(delta(content="x"), broken)


@pytest.mark.parametrize("chunk", ["null", "[]", "7", '"x"', "{}", '{"choices": {}}', '{"choices": [null]}'])
def test_json_of_the_wrong_kind_says_nothing(chunk: str) -> None:
    assert read(delta(content="x"), chunk, delta("stop")).content == (TextBlock(text="x"),)


def test_no_shape_of_a_chunk_breaks_the_reader() -> None:
    """Random values in random places: an answer or a `ProviderError`, never anything else."""
    dice = random.Random(7)
    values: list[Any] = [None, True, -1, 3.5, "", "x", [], {}, ["x"], {"a": None}, [[]], "[DONE]"]
    for _ in range(3000):
        call = {
            key: dice.choice([*values, {"name": dice.choice(values), "arguments": dice.choice(values)}])
            for key in ("id", "index", "function", "extra_content")
        }
        said = {
            key: dice.choice([*values, [call]])
            for key in ("content", "tool_calls", "reasoning", "reasoning_details", "refusal", "function_call")
            if dice.random() < 0.6
        }
        chunk = (
            delta(**said)
            if dice.random() < 0.8
            else {key: dice.choice(values) for key in ("choices", "usage", "model", "error", "x_groq")}
        )
        try:
            read(chunk, delta(dice.choice(["stop", "length", None])), done=dice.random() < 0.5)
            read_body(
                {"choices": [{"message": said, "finish_reason": dice.choice(values)}], "usage": dice.choice(values)}
            )
        except ProviderError:
            continue


# --- whole bodies -----------------------------------------------------------------------------------------------------


def test_c12_whole_bodies() -> None:
    message = {"content": None, "refusal": "no", "tool_calls": []}
    completion = folded(read_body({"model": "m", "choices": [{"message": message, "finish_reason": "stop"}]}))
    assert (completion.refusal, completion.finished) == ("no", True)
    with pytest.raises(ServerFailed, match="x"):
        read_body({"error": {"message": "x"}})
    with pytest.raises(Incomplete, match="no choice"):
        read_body({"choices": []})


def test_c31_a_whole_body_adds_up_to_the_same_answer_as_the_stream() -> None:
    tool = part('{"a":1}', name="f", call_id="x", index=0)
    usage = {"prompt_tokens": 4, "completion_tokens": 2}
    streamed = read(
        delta(reasoning="t"),
        delta(content="te"),
        delta(content="xt"),
        delta(tool_calls=[tool]),
        delta("tool_calls"),
        {"choices": [], "usage": usage},
    )
    message = {"reasoning": "t", "content": "text", "tool_calls": [tool]}
    whole = folded(
        read_body({"model": "m", "choices": [{"message": message, "finish_reason": "tool_calls"}], "usage": usage})
    )
    assert whole == streamed
