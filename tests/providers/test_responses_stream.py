"""What the Responses reader makes of servers that leave something away, and of errors."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kram.messages import Accumulator, Completion, StreamEvent, TextBlock, ThinkingBlock, ToolUseBlock
from kram.providers import Incomplete, InvalidRequest, ProviderError, RateLimited, ServerEvent, ServerFailed
from kram.providers.openai_responses.stream import Reader, read_body
from kram.providers.openai_responses.tokens import unpack

USAGE = {
    "input_tokens": 11,
    "output_tokens": 6,
    "input_tokens_details": {"cached_tokens": 3},
    "output_tokens_details": {"reasoning_tokens": 2},
}


def folded(events: list[StreamEvent]) -> Completion:
    accumulator = Accumulator()
    for event in events:
        accumulator.add(event)
    return accumulator.completion()


def read(*events: dict[str, Any], named: bool = False) -> Completion:
    reader = Reader()
    found: list[StreamEvent] = []
    for event in events:
        found += reader.feed(ServerEvent(event=event["type"] if named else "message", data=json.dumps(event)))
    return folded(found + reader.close())


def added(item: dict[str, Any], place: int | None = 0) -> dict[str, Any]:
    where = {} if place is None else {"output_index": place}
    return {"type": "response.output_item.added", "item": item, **where}


def done(item: dict[str, Any], place: int | None = 0) -> dict[str, Any]:
    return added(item, place) | {"type": "response.output_item.done"}


def ended(status: str = "completed", **more: Any) -> dict[str, Any]:
    return {"type": f"response.{status}", "response": {"status": status, "usage": USAGE, **more}}


CALL = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "read_file", "arguments": ""}
TEXT = {"type": "message", "id": "msg_1", "role": "assistant", "content": []}


@pytest.mark.parametrize("named", [True, False])
def test_text_call_and_usage(named: bool) -> None:
    answer = read(
        {"type": "response.created", "response": {"model": "gpt-5"}},
        added(TEXT),
        {"type": "response.output_text.delta", "output_index": 0, "delta": "Hel"},
        {"type": "response.output_text.delta", "output_index": 0, "delta": "lo"},
        done(TEXT),
        added(CALL, 1),
        {"type": "response.function_call_arguments.delta", "output_index": 1, "delta": '{"path"'},
        {"type": "response.function_call_arguments.delta", "output_index": 1, "delta": ': "a"}'},
        done(CALL | {"arguments": '{"path": "a"}', "status": "completed"}, 1),
        ended(),
        named=named,
    )
    assert answer.content == (
        TextBlock(text="Hello"),
        ToolUseBlock(id="call_1", name="read_file", arguments='{"path": "a"}'),
    )
    assert (answer.stop_reason, answer.finish_reason, answer.model) == ("tool_use", "completed", "gpt-5")
    usage = answer.usage
    assert (usage.input, usage.output, usage.cache_read, usage.reasoning) == (11, 6, 3, 2)


def test_arguments_that_only_the_finished_item_holds() -> None:
    answer = read(added(CALL), done(CALL | {"arguments": '{"a": 1}'}), ended())
    assert answer.content == (ToolUseBlock(id="call_1", name="read_file", arguments='{"a": 1}'),)


def test_the_rest_of_arguments_whose_last_delta_is_missing_is_taken_from_the_end() -> None:
    delta = {"type": "response.function_call_arguments.delta", "output_index": 0, "delta": '{"a"'}
    assert read(added(CALL), delta, done(CALL | {"arguments": '{"a": 1}'}), ended()).content[0] == ToolUseBlock(
        id="call_1", name="read_file", arguments='{"a": 1}'
    )


def test_items_are_told_apart_by_id_where_a_server_numbers_nothing() -> None:
    other = CALL | {"id": "fc_2", "call_id": "call_2"}
    delta = {"type": "response.function_call_arguments.delta"}
    answer = read(
        added(CALL, None),
        added(other, None),
        delta | {"item_id": "fc_2", "delta": '{"b": 2}'},
        delta | {"item_id": "fc_1", "delta": '{"a": 1}'},
        done(CALL, None),
        done(other, None),
        ended(),
    )
    assert [call.arguments for call in answer.content if isinstance(call, ToolUseBlock)] == ['{"a": 1}', '{"b": 2}']


def test_an_answer_that_only_the_end_holds() -> None:
    message = TEXT | {"content": [{"type": "output_text", "text": "Hi"}]}
    answer = read(ended(output=[message, CALL | {"arguments": "{}"}]))
    assert answer.content == (TextBlock(text="Hi"), ToolUseBlock(id="call_1", name="read_file", arguments="{}"))


def test_a_call_that_the_limit_cut_is_not_to_be_run() -> None:
    answer = read(
        added(CALL),
        {"type": "response.function_call_arguments.delta", "output_index": 0, "delta": '{"text": "lon'},
        done(CALL | {"arguments": '{"text": "lon', "status": "incomplete"}),
        ended("incomplete", incomplete_details={"reason": "max_output_tokens"}),
    )
    assert answer.content == ()
    assert answer.unfinished[0].arguments == '{"text": "lon'
    assert (answer.stop_reason, answer.finish_reason) == ("max_tokens", "incomplete")


def test_the_filter_is_named_as_the_reason() -> None:
    assert read(ended("incomplete", incomplete_details={"reason": "content_filter"})).stop_reason == "content_filter"


def test_a_refusal_is_kept_apart_from_the_text() -> None:
    answer = read(
        added(TEXT), {"type": "response.refusal.delta", "output_index": 0, "delta": "No."}, done(TEXT), ended()
    )
    assert (answer.refusal, answer.stop_reason, answer.content) == ("No.", "refusal", ())


def test_summary_parts_are_blocks_of_their_own_and_the_ciphertext_is_kept() -> None:
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": []}
    part = {"type": "response.reasoning_summary_part.added", "output_index": 0}
    delta = {"type": "response.reasoning_summary_text.delta", "output_index": 0}
    answer = read(
        added(reasoning),
        part,
        delta | {"delta": "One."},
        part,
        delta | {"delta": "Two."},
        done(reasoning | {"encrypted_content": "gAAA"}),
        ended(),
    )
    assert [block.thinking for block in answer.content if isinstance(block, ThinkingBlock)] == ["One.", "Two.", ""]
    last = answer.content[-1]
    assert isinstance(last, ThinkingBlock)
    token = unpack(last.redacted)
    assert token is not None
    assert (token.id, token.encrypted) == ("rs_1", "gAAA")


def test_a_stream_without_its_end_is_incomplete() -> None:
    with pytest.raises(Incomplete):
        read(added(TEXT), {"type": "response.output_text.delta", "output_index": 0, "delta": "Hel"})


@pytest.mark.parametrize(
    ("event", "kind", "said"),
    [
        ({"type": "error", "message": "Slow down", "code": "rate_limit_exceeded"}, RateLimited, "Slow down"),
        ({"type": "error", "error": {"message": "Overloaded", "type": "server_error"}}, ServerFailed, "Overloaded"),
        (
            {"type": "response.failed", "response": {"error": {"code": "invalid_prompt", "message": "Bad prompt"}}},
            InvalidRequest,
            "Bad prompt",
        ),
        ({"error": {"message": "Gateway says no"}}, ServerFailed, "Gateway says no"),
    ],
)
def test_an_error_is_found_wherever_the_server_put_it(
    event: dict[str, Any], kind: type[ProviderError], said: str
) -> None:
    with pytest.raises(kind, match=said):
        Reader().feed(ServerEvent(data=json.dumps(event)))


def test_an_event_that_is_not_json_fails_the_attempt() -> None:
    for data in ('{"type": "response.outp', "[" * 100_000):
        with pytest.raises(ServerFailed):
            Reader().feed(ServerEvent(data=data))


def test_comments_done_marks_and_unknown_events_mean_nothing() -> None:
    reader = Reader()
    assert reader.feed(ServerEvent(data="[DONE]")) == []
    assert reader.feed(ServerEvent(data='{"type": "response.something_new", "delta": "x"}')) == []


def test_a_whole_body_and_a_failed_one() -> None:
    body = {
        "model": "gpt-5",
        "status": "completed",
        "usage": USAGE,
        "output": [
            {"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": "hmm"}]},
            TEXT | {"content": [{"type": "output_text", "text": "Hi"}]},
            CALL | {"arguments": "{}"},
        ],
    }
    answer = folded(read_body(body))
    assert answer.content == (
        ThinkingBlock(thinking="hmm"),
        TextBlock(text="Hi"),
        ToolUseBlock(id="call_1", name="read_file", arguments="{}"),
    )
    assert answer.stop_reason == "tool_use"
    with pytest.raises(RateLimited, match="quota"):
        read_body({"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}})
    with pytest.raises(ProviderError):
        read_body({"unexpected": True})


def test_impossible_figures_are_not_reported() -> None:
    answer = folded(read_body({"output": [], "usage": {"input_tokens": -5, "output_tokens": "many"}}))
    assert not answer.usage_reported
