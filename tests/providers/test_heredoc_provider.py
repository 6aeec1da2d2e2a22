"""Tools by text behind any provider: what goes over the wire, what a turn makes of the answer, who gets it and who doesn't."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from kram.config import Model
from kram.config import Provider as ProviderConfig
from kram.messages import (
    Accumulator,
    BlockStopped,
    Completion,
    CompletionRequest,
    Example,
    MessageDelta,
    MessageStopped,
    StreamEvent,
    TextBlock,
    TextDelta,
    ThinkingBlock,
    ThinkingDelta,
    ToolInputDelta,
    ToolUseBlock,
    ToolUseStarted,
    ToolUseStopped,
    user_text,
)
from kram.providers import Incomplete, open_provider
from kram.providers.heredoc import HeredocProvider
from tests.support.byte_server import ByteServer
from tests.support.heredoc import refusal, tool
from tests.support.program import Program
from tests.support.strict import assert_acceptable
from tests.support.vendor import PROTOCOLS, answered, base_url

MODEL = Model(provider="p", id="m", tool_format="heredoc")
COMPACT = Model(provider="p", id="m", tool_format="heredoc", compact=True)
NATIVE = Model(provider="p", id="m")
TOOLS = (tool("bash", "command"), tool("list_dir"))
CALL = '@@call bash\n{"command": "ls"}\n@@end\n'


class Inside:
    """A provider that says what it was given to say and keeps the requests."""

    name = "p"

    def __init__(self, *said: StreamEvent, failure: Exception | None = None) -> None:
        self.said = said
        self.failure = failure
        self.requests: list[CompletionRequest] = []
        self.open = 0

    async def stream(self, request: CompletionRequest, model: Model) -> AsyncIterator[StreamEvent]:
        self.requests.append(request)
        self.open += 1
        try:
            for event in self.said:
                yield event
                await asyncio.sleep(0)
            if self.failure:
                raise self.failure
        finally:
            self.open -= 1

    complete = stream

    async def list_models(self) -> tuple[Model, ...]:
        return (MODEL,)

    async def aclose(self) -> None:
        self.open = -1


def ended(stop_reason: str = "end_turn") -> tuple[StreamEvent, ...]:
    return (MessageDelta(stop_reason=stop_reason, finish_reason="stop", output=7), MessageStopped())


def request(**options: Any) -> CompletionRequest:
    return CompletionRequest(**{"messages": (user_text("hi"),), "tools": TOOLS, "system": ("One.", "Two.")} | options)


async def asked(inside: Inside, made: CompletionRequest, model: Model = MODEL, *, stream: bool = True) -> Completion:
    provider = HeredocProvider(inside)
    accumulator = Accumulator()
    async for event in (provider.stream if stream else provider.complete)(made, model):
        accumulator.add(event)
    return accumulator.completion()


@pytest.mark.parametrize("stream", [True, False])
async def test_a_text_call_becomes_a_call_with_an_id_and_the_reason_of_one(stream: bool) -> None:
    inside = Inside(ThinkingDelta(text="hm"), TextDelta(text="I look.\n@@ca"), TextDelta(text=CALL[4:]), *ended())
    done = await asked(inside, request(), stream=stream)
    thinking, words, call = done.content
    assert thinking == ThinkingBlock(thinking="hm")
    assert words == TextBlock(text="I look.")
    assert isinstance(call, ToolUseBlock)
    assert (call.name, json.loads(call.arguments)) == ("bash", {"command": "ls"})
    assert call.id
    assert (done.stop_reason, done.finished, done.usage.output) == ("tool_use", True, 7)


async def test_two_calls_have_two_ids() -> None:
    done = await asked(Inside(TextDelta(text=CALL * 2), *ended()), request())
    first, second = (block for block in done.content if isinstance(block, ToolUseBlock))
    assert first.id != second.id


async def test_a_call_cut_off_by_the_output_limit_reaches_the_gate_and_is_refused() -> None:
    inside = Inside(TextDelta(text="@@call bash\n{command: ~~~t\nrm -r build"), *ended("max_tokens"))
    done = await asked(inside, request())
    (call,) = (block for block in done.content if isinstance(block, ToolUseBlock))
    assert done.stop_reason == "max_tokens"
    assert "Truncation detected" in refusal(call.name, call.arguments)


async def test_a_stream_that_breaks_inside_a_call_has_no_call() -> None:
    provider = HeredocProvider(Inside(TextDelta(text="Well.\n@@call bash\n{"), failure=Incomplete("broken")))
    accumulator = Accumulator()
    with pytest.raises(Incomplete):
        async for event in provider.stream(request(), MODEL):
            accumulator.add(event)
    done = accumulator.completion()
    assert not done.finished
    assert [block for block in done.content if isinstance(block, ToolUseBlock)] == []


async def test_calls_that_the_server_recognised_itself_stay_beside_ours() -> None:
    native = (
        ToolUseStarted(index=0, id="n", name="list_dir"),
        ToolInputDelta(index=0, text="{}"),
        ToolUseStopped(index=0),
    )
    done = await asked(Inside(TextDelta(text=CALL), BlockStopped(), *native, *ended()), request())
    assert [block.name for block in done.content if isinstance(block, ToolUseBlock)] == ["bash", "list_dir"]
    assert not done.unfinished


async def test_a_block_that_ends_inside_a_call_does_not_end_the_call() -> None:
    done = await asked(
        Inside(TextDelta(text=CALL[:20]), BlockStopped(), TextDelta(text=CALL[20:]), *ended()), request()
    )
    (call,) = done.content
    assert isinstance(call, ToolUseBlock)
    assert json.loads(call.arguments) == {"command": "ls"}


@pytest.mark.parametrize(
    ("model", "options"), [(NATIVE, {}), (MODEL, {"tools": ()})], ids=["native format", "without tools"]
)
async def test_what_needs_no_translation_passes_untouched(model: Model, options: dict[str, Any]) -> None:
    inside = Inside(TextDelta(text=CALL), *ended())
    made = request(**options)
    done = await asked(inside, made, model)
    assert inside.requests == [made]
    assert done.content == (TextBlock(text=CALL),)


async def test_the_tools_stand_behind_the_stable_part_of_the_prompt() -> None:
    inside = Inside(*ended())
    await asked(inside, request(dynamic_boundary=1))
    (sent,) = inside.requests
    assert sent.system[0] == "One."
    assert "list_dir()" in sent.system[1]
    assert sent.system[2] == "Two."
    assert sent.dynamic_boundary == 2


async def test_options_of_the_callers_own_stay_in_force() -> None:
    inside = Inside(*ended())
    for options in ({"grammar": 'root ::= "x"'}, {"response_format": {"type": "json_object"}}):
        await asked(inside, request(temperature=0.0, seed=1, max_tokens=9, **options))
    first, second = inside.requests
    assert first.grammar == 'root ::= "x"'
    assert (second.grammar, second.response_format) == ("", {"type": "json_object"})
    assert (first.temperature, first.seed, first.max_tokens) == (0.0, 1, 9)


@pytest.mark.parametrize(
    ("choice", "root"), [("", "text"), ("none", "text"), ("required", "call"), ("bash", "call"), ("auto", "text")]
)
async def test_the_choice_of_tools_is_kept_by_the_grammar(choice: str, root: str) -> None:
    inside = Inside(*ended())
    await asked(inside, request(tool_choice=choice))
    (sent,) = inside.requests
    assert sent.tool_choice == ""
    first = sent.grammar.splitlines()[0]
    assert ("text" in first) is (root == "text")
    assert ("call" in first) is (choice != "none")


async def test_a_compact_model_learns_from_examples() -> None:
    inside = Inside(*ended())
    examples = (
        Example(said="hello", answer="Hi!"),
        Example(said="list", tool="list_dir", result="a.txt", answer="One file."),
    )
    await asked(inside, request(examples=examples), COMPACT)
    (sent,) = inside.requests
    assert sent.system == ("One.", "Two.")
    assert [(one.role, one.text()) for one in sent.messages] == [
        ("user", "hello"),
        ("assistant", "Hi!"),
        ("user", "list"),
        ("assistant", "@@call list_dir\n{}\n@@end"),
        ("user", "[result of list_dir]\na.txt"),
        ("assistant", "One file."),
        ("user", "hi"),
    ]
    assert sent.examples == ()


async def test_leaving_early_closes_the_answer_inside() -> None:
    inside = Inside(TextDelta(text="a "), TextDelta(text="b"), *ended())
    stream: Any = HeredocProvider(inside).stream(request(), MODEL)
    await anext(stream)
    assert inside.open == 1
    await stream.aclose()
    assert inside.open == 0


async def test_the_wrapper_owns_what_it_wraps() -> None:
    inside = Inside()
    provider = HeredocProvider(inside)
    assert await provider.list_models() == (MODEL,)
    await provider.aclose()
    assert inside.open == -1


@pytest.mark.parametrize(("model", "wrapped"), [(MODEL, True), (NATIVE, False)])
async def test_a_provider_is_wrapped_only_where_one_of_its_models_asks_for_it(model: Model, wrapped: bool) -> None:
    config = ProviderConfig(
        name="p", kind="openai-chat", base_url="http://x.invalid", key_optional=True, models=(model,)
    )
    provider = open_provider(config)
    assert isinstance(provider, HeredocProvider) is wrapped
    await provider.aclose()


# --- whole turns ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_tool_round_trip_by_text_over_each_protocol(tmp_path: Path, protocol: str) -> None:
    program = Program(tmp_path)
    (program.workspace / "a.txt").write_text("the word is heron\n")
    calls = 'I look.\n\n@@call read_file\n{path: "a.txt"}\n@@end\n@@call list_dir\n{}\n@@end\n'
    with ByteServer([answered(protocol, calls), answered(protocol, "It says heron.", number=1)]) as server:
        program.serve(protocol, base_url(protocol, server.url))
        program.configure(
            program.config_file.read_text().replace(
                "context_window = 100000", 'context_window = 100000\ntool_format = "heredoc"'
            )
        )
        done = program.run("-p", "what does a.txt say?", "--output-format", "json")
    assert done.code == 0, done.err
    result = done.object()
    assert result["text"] == "It says heron."
    assert [(call["name"], call["ok"]) for call in result["tool_calls"]] == [("read_file", True), ("list_dir", True)]
    first, second = (one.json() for one in server.requests)
    assert not {"tools", "tool_choice", "toolConfig", "stop"} & (set(first) | set(second))
    assert ("grammar" in first) is (protocol == "openai-chat")
    told = json.dumps(second)
    assert "heron" in told
    assert "@@call read_file" in told
    if protocol == "openai-chat":
        assert [message["role"] for message in second["messages"]] == ["system", "user", "assistant", "tool", "tool"]
    else:
        assert_acceptable(protocol, second)


def test_a_call_that_is_cut_off_runs_nothing_and_the_model_is_told(tmp_path: Path) -> None:
    program = Program(tmp_path)
    cut = '@@call write_file\n{path: "a.txt", content: ~~~t\nhalf of'
    with ByteServer([answered("openai-chat", cut), answered("openai-chat", "I see.", number=1)]) as server:
        program.serve("openai-chat", base_url("openai-chat", server.url))
        program.configure(
            program.config_file.read_text().replace(
                "context_window = 100000", 'context_window = 100000\ntool_format = "heredoc"'
            )
        )
        done = program.run("-p", "write it", "--permission-mode", "auto", "--output-format", "json")
    assert done.object()["text"] == "I see."
    assert not (program.workspace / "a.txt").exists()
    assert "NOT executed" in json.dumps(server.requests[1].json())
