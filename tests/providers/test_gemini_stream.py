"""What the Gemini reader makes of calls in pieces, blocked prompts, filters and errors."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kram.messages import Accumulator, Completion, StreamEvent, TextBlock, ThinkingBlock, ToolUseBlock
from kram.providers import Incomplete, PromptBlocked, RateLimited, ServerEvent, ServerFailed
from kram.providers.gemini.partial import PartialArguments
from kram.providers.gemini.stream import Reader, read_body
from kram.providers.gemini.tokens import is_own_call_id, unpack


def chunk(*parts: dict[str, Any], finish: str = "", **more: Any) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}}
    return {"candidates": [candidate | ({"finishReason": finish} if finish else {})], **more}


def folded(events: list[StreamEvent]) -> Completion:
    accumulator = Accumulator()
    for event in events:
        accumulator.add(event)
    return accumulator.completion()


def read(*chunks: dict[str, Any]) -> Completion:
    reader = Reader()
    found: list[StreamEvent] = []
    for one in chunks:
        found += reader.feed(ServerEvent(data=json.dumps(one)))
    return folded(found + reader.close())


def test_thoughts_text_and_usage() -> None:
    answer = read(
        chunk({"text": "hmm", "thought": True}, modelVersion="gemini-x"),
        chunk({"text": "Hel"}),
        chunk(
            {"text": "lo"},
            finish="STOP",
            usageMetadata={
                "promptTokenCount": 9,
                "candidatesTokenCount": 2,
                "thoughtsTokenCount": 5,
                "cachedContentTokenCount": 4,
            },
        ),
    )
    assert answer.content == (ThinkingBlock(thinking="hmm"), TextBlock(text="Hello"))
    usage = answer.usage
    assert (usage.input, usage.output, usage.reasoning, usage.cache_read) == (9, 7, 5, 4)
    assert (answer.stop_reason, answer.finish_reason, answer.model) == ("end_turn", "STOP", "gemini-x")


def test_calls_without_ids_get_ids_that_no_other_answer_has() -> None:
    calls: list[dict[str, Any]] = [{"functionCall": {"name": "ls", "args": {}}}, {"functionCall": {"name": "ls"}}]
    first, second = read(chunk(*calls, finish="STOP")), read(chunk(*calls, finish="STOP"))
    ids = [block.id for answer in (first, second) for block in answer.content if isinstance(block, ToolUseBlock)]
    assert len(set(ids)) == 4
    assert all(is_own_call_id(one) for one in ids)
    assert first.stop_reason == "tool_use"


def test_a_signature_stays_with_its_call() -> None:
    answer = read(
        chunk({"functionCall": {"name": "a", "id": "x1"}, "thoughtSignature": "c2ln"}),
        chunk({"functionCall": {"name": "b", "id": "x2"}}, finish="STOP"),
    )
    calls = [block for block in answer.content if isinstance(block, ToolUseBlock)]
    assert [(call.id, unpack(call.signature)) for call in calls] == [("x1", "c2ln"), ("x2", "")]


def test_a_signature_of_a_text_never_joins_an_unsigned_thought() -> None:
    answer = read(
        chunk({"text": "hmm", "thought": True}), chunk({"text": "Hi", "thoughtSignature": "c2ln"}, finish="STOP")
    )
    thought, signed, text = answer.content
    assert isinstance(thought, ThinkingBlock)
    assert thought.signature == ""
    assert isinstance(signed, ThinkingBlock)
    assert (signed.thinking, unpack(signed.signature)) == ("", "c2ln")
    assert text == TextBlock(text="Hi")


def piece(path: str, **value: Any) -> dict[str, Any]:
    return {"jsonPath": path, **value}


def test_arguments_in_pieces() -> None:
    call = {"functionCall": {"name": "edit", "willContinue": True}}

    def more(*pieces: dict[str, Any]) -> dict[str, Any]:
        return {"functionCall": {"partialArgs": list(pieces), "willContinue": True}}

    answer = read(
        chunk(call),
        chunk(more(piece("$.path", stringValue="a", willContinue=True))),
        chunk(more(piece("$.path", stringValue=".py"))),
        chunk(more(piece("$.edits[0].old", stringValue="x"), piece("$.edits[0]['new']", stringValue="y"))),
        chunk(more(piece("$.limit", numberValue=3.0), piece("$.all", boolValue=True), piece("$.none", nullValue=None))),
        chunk({"functionCall": {}}, finish="STOP"),
    )
    (block,) = answer.content
    assert isinstance(block, ToolUseBlock)
    assert json.loads(block.arguments) == {
        "path": "a.py",
        "edits": [{"old": "x", "new": "y"}],
        "limit": 3,
        "all": True,
        "none": None,
    }


def test_a_call_whose_pieces_never_end_is_not_to_be_run() -> None:
    answer = read(chunk({"functionCall": {"name": "edit", "willContinue": True}}), chunk(finish="MAX_TOKENS"))
    assert answer.content == ()
    assert [call.name for call in answer.unfinished] == ["edit"]
    assert answer.stop_reason == "max_tokens"


@pytest.mark.parametrize("path", ["", "path", "$", "$..x", "$[*]", "$.a[-1]", "$.a[999999999]"])
def test_paths_that_are_not_understood_do_no_harm(path: str) -> None:
    arguments = PartialArguments()
    arguments.add([piece(path, stringValue="x"), "nonsense"])
    arguments.add(None)
    assert arguments.value in ({}, {"a": []})


@pytest.mark.parametrize(
    ("finish", "stop"),
    [
        ("STOP", "end_turn"),
        ("MAX_TOKENS", "max_tokens"),
        ("SAFETY", "content_filter"),
        ("PROHIBITED_CONTENT", "content_filter"),
        ("MALFORMED_FUNCTION_CALL", "MALFORMED_FUNCTION_CALL"),
        ("SOMETHING_NEW", "SOMETHING_NEW"),
    ],
)
def test_finish_reasons(finish: str, stop: str) -> None:
    answer = read({"candidates": [{"finishReason": finish}]})
    assert (answer.stop_reason, answer.finish_reason) == (stop, finish)


def test_a_blocked_prompt_says_why_and_is_not_tried_again() -> None:
    blocked = {"promptFeedback": {"blockReason": "SAFETY", "blockReasonMessage": "Not this."}}
    for attempt in (lambda: read_body(blocked), lambda: read(blocked)):
        with pytest.raises(PromptBlocked, match=r"SAFETY.*Not this\.") as caught:
            attempt()
        assert not caught.value.retryable
        assert caught.value.kind == "content_rejected"


def test_an_error_brings_the_delay_the_provider_asks_for() -> None:
    body: dict[str, Any] = {
        "error": {
            "code": 429,
            "message": "Quota",
            "status": "RESOURCE_EXHAUSTED",
            "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.4s"}],
        }
    }
    with pytest.raises(RateLimited) as caught:
        read(body)
    assert caught.value.retry_after_s == 34.4


def test_a_stream_without_a_finish_reason_is_incomplete() -> None:
    with pytest.raises(Incomplete):
        read(chunk({"text": "Hel"}))
    with pytest.raises(Incomplete):
        read()


def test_an_event_that_is_not_json_fails_the_attempt() -> None:
    for data in ("<html>", "[" * 100_000):
        with pytest.raises(ServerFailed):
            Reader().feed(ServerEvent(data=data))


def test_only_the_first_candidate_counts() -> None:
    both = {
        "candidates": [
            {"index": 1, "content": {"parts": [{"text": "other"}]}, "finishReason": "STOP"},
            {"index": 0, "content": {"parts": [{"text": "mine"}]}, "finishReason": "STOP"},
        ]
    }
    assert read(both).content == (TextBlock(text="mine"),)
