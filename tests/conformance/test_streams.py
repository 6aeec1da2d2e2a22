"""Recorded provider answers, read by the pure readers: whole, byte by byte, and cut at random places.

What is expected of each case was derived by a script that shares nothing with this project.
"""

from __future__ import annotations

import importlib
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kram.messages import (
    Accumulator,
    Completion,
    RedactedThinking,
    StreamEvent,
    ThinkingBlock,
    ThinkingSignature,
    ToolUseBlock,
    ToolUseStarted,
)
from kram.providers import ProviderError, SseDecoder, from_status
from kram.providers.error_body import describe

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "streams"

READERS = {
    "anthropic": "kram.providers.anthropic.stream",
    "openai-chat": "kram.providers.openai_chat.stream",
    "openai-responses": "kram.providers.openai_responses.stream",
    "gemini": "kram.providers.gemini.stream",
}
"""Folder of the recordings -> the module with `Reader` and `read_body` that reads them."""

CUTS = ("whole", "bytes", "random-1", "random-2", "random-3")


class Case:
    """One recording with what is expected of it."""

    def __init__(self, meta_path: Path) -> None:
        self.meta = json.loads(meta_path.read_text())
        self.expected = self.meta["expected"]
        self.protocol = meta_path.parent.name
        self.name = meta_path.name.removesuffix(".meta.json")
        self.streamed = (meta_path.parent / f"{self.name}.sse").exists()
        self.body = (meta_path.parent / f"{self.name}{'.sse' if self.streamed else '.json'}").read_bytes()
        self.module = importlib.import_module(READERS[self.protocol])

    def pieces(self, cut: str) -> Iterator[bytes]:
        if cut == "whole":
            yield self.body
            return
        dice = random.Random(f"{self.name} {cut}")
        place = 0
        while place < len(self.body):
            size = 1 if cut == "bytes" else dice.randint(1, 97)
            yield self.body[place : place + size]
            place += size


def metas(*, streamed: bool) -> list[Path]:
    ending = ".sse" if streamed else ".json"
    found = [path for folder in READERS for path in sorted((DATA / folder).glob("*.meta.json"))]
    return [path for path in found if path.with_name(path.name.removesuffix(".meta.json") + ending).exists()]


def case_id(value: object) -> str:
    return f"{value.parent.name}/{value.name.removesuffix('.meta.json')}" if isinstance(value, Path) else str(value)


class Read:
    """What a reader made of a recording: the folded answer, the raw events, and the error it ended with."""

    def __init__(self) -> None:
        self.events: list[StreamEvent] = []
        self.error: ProviderError | None = None
        self._accumulator = Accumulator()

    def take(self, events: list[StreamEvent]) -> None:
        for event in events:
            self.events.append(event)
            self._accumulator.add(event)

    @property
    def completion(self) -> Completion:
        return self._accumulator.completion()

    @property
    def text(self) -> str:
        return self._accumulator.text

    @property
    def thinking(self) -> str:
        return self._accumulator.thinking


def read_stream(case: Case, cut: str) -> Read:
    read = Read()
    decoder, reader = SseDecoder(), case.module.Reader()
    try:
        for piece in case.pieces(cut):
            for event in decoder.feed(piece):
                read.take(reader.feed(event))
        for event in decoder.close():
            read.take(reader.feed(event))
        read.take(reader.close())
    except ProviderError as error:
        read.error = error
    return read


def read_whole(case: Case) -> Read:
    read = Read()
    status = case.meta["http_status"]
    if status != 200:
        read.error = from_status(status, describe(case.body.decode()).text)
        return read
    try:
        read.take(case.module.read_body(json.loads(case.body)))
    except ProviderError as error:
        read.error = error
    return read


def check(case: Case, read: Read) -> None:
    expected = case.expected
    completion = read.completion
    assert read.text == expected["text"]
    assert len(read.thinking) == expected["thinking_chars"]
    assert read.thinking.startswith(expected["thinking_head"])
    assert read.thinking.endswith(expected["thinking_tail"])
    check_proofs(case, read)
    check_calls(case, completion)
    check_error(case, read)
    if read.error is None:
        assert completion.finished
        assert completion.finish_reason == (expected["finish_reason"] or "")
        assert completion.refusal == (expected["refusal"] or "")
        check_usage(expected["usage"], completion)


def check_proofs(case: Case, read: Read) -> None:
    """Every signature and every encrypted block reaches the answer, none is made up."""
    expected = case.expected
    signatures = sum(isinstance(event, ThinkingSignature) for event in read.events)
    signatures += sum(isinstance(event, ToolUseStarted) and bool(event.signature) for event in read.events)
    redacted = sum(isinstance(event, RedactedThinking) for event in read.events)
    assert signatures == expected["thinking_signatures"]
    assert redacted == expected["redacted_thinking"]
    if read.error is None:
        blocks = [block for block in read.completion.content if isinstance(block, ThinkingBlock)]
        assert sum(bool(block.redacted) for block in blocks) == redacted


def check_calls(case: Case, completion: Completion) -> None:
    calls = [block for block in completion.content if isinstance(block, ToolUseBlock)]
    wanted = case.expected["tool_calls"]
    assert [call.name for call in calls] == [call["name"] for call in wanted]
    for call, want in zip(calls, wanted, strict=True):
        if want["id"]:
            assert call.id == want["id"]
        if want.get("custom"):
            assert call.arguments == want.get("arguments_raw", want["arguments"])
        elif want.get("arguments_valid_json") is False:
            assert call.arguments == want["arguments_raw"]
        else:
            assert json.loads(call.arguments or "{}") == want["arguments"]
    ids = [call.id for call in calls]
    assert all(ids) and len(set(ids)) == len(ids)
    cut = [block for block in case.expected.get("unfinished_blocks") or () if block["type"] == "tool_use"]
    assert [(call.name, call.arguments) for call in completion.unfinished] == [
        (block["name"], block["partial_json"]) for block in cut
    ]


def check_error(case: Case, read: Read) -> None:
    """An error object is raised with the provider's own message; no error is raised without one."""
    error = case.expected["error"]
    blocked = case.expected.get("block_reason")
    if error is None and not blocked:
        if read.error is not None:
            raise read.error
        return
    assert read.error is not None
    if error is not None:
        assert error["message"] in read.error.what or read.error.what[:60] in error["message"]
        if case.meta["http_status"] != 200:
            assert read.error.status == case.meta["http_status"]
    if written := case.expected.get("failed_generation"):
        assert " ".join(written.split())[:60] in read.error.what


def check_usage(usage: dict[str, Any] | None, completion: Completion) -> None:
    if usage is None:
        assert not completion.usage_reported
        return
    figures = completion.usage
    assert figures.input == (usage["input_total"] or 0)
    assert figures.output == (usage["output_total"] or 0)
    assert figures.cache_read == (usage["cache_read"] or 0)
    assert figures.cache_write == (usage["cache_write"] or 0)
    assert figures.reasoning == (usage["reasoning"] or 0)


needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the recorded answers are not here")


@needs_data
def test_the_recordings_are_found() -> None:
    assert {path.parent.name for path in metas(streamed=True)} == set(READERS)


@needs_data
@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("meta", metas(streamed=True), ids=case_id)
def test_a_recorded_stream_reads_as_expected_however_it_is_cut(meta: Path, cut: str) -> None:
    case = Case(meta)
    check(case, read_stream(case, cut))


@needs_data
@pytest.mark.parametrize("meta", metas(streamed=False), ids=case_id)
def test_a_recorded_body_reads_as_expected(meta: Path) -> None:
    case = Case(meta)
    check(case, read_whole(case))


@needs_data
@pytest.mark.parametrize("meta", metas(streamed=True), ids=case_id)
def test_tool_calls_of_a_stream_cut_anywhere_are_whole_or_not_run(meta: Path) -> None:
    """Cut off after each event, a stream never yields a call that the whole stream does not have."""
    case = Case(meta)
    complete = {(call["name"], json.dumps(call["arguments"], sort_keys=True)) for call in case.expected["tool_calls"]}
    events = SseDecoder().feed(case.body)
    for end in range(len(events)):
        read, reader = Read(), case.module.Reader()
        try:
            for event in events[:end]:
                read.take(reader.feed(event))
            read.take(reader.close())
        except ProviderError:
            pass
        for call in (block for block in read.completion.content if isinstance(block, ToolUseBlock)):
            arguments: Any = json.loads(call.arguments or "{}") if not _custom(case, call.name) else None
            assert arguments is None or (call.name, json.dumps(arguments, sort_keys=True)) in complete


def _custom(case: Case, name: str) -> bool:
    return any(call["name"] == name and call.get("custom") for call in case.expected["tool_calls"])
