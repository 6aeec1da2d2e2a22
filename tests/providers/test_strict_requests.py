"""Histories of every kind, prepared as a turn does it, are accepted by all four protocols; and the checks do find breaches."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any

import pytest

from kram.config import Model
from kram.messages import (
    Block,
    CompletionRequest,
    ImageBlock,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolSpec,
    ToolUseBlock,
)
from kram.providers.anthropic import build as anthropic
from kram.providers.gemini import build as gemini
from kram.providers.openai_chat import build as chat
from kram.providers.openai_responses import build as responses
from tests.support.strict import assert_acceptable, problems

BUILDERS: dict[str, Callable[[CompletionRequest, Model], dict[str, Any]]] = {
    "anthropic": anthropic,
    "openai-chat": chat,
    "openai-responses": responses,
    "gemini": gemini,
}
every = pytest.mark.parametrize("protocol", list(BUILDERS))
TOOL = ToolSpec(
    name="read_file", description="d", parameters={"type": "object", "properties": {"p": {"type": "string"}}}
)
THINKING = [
    ThinkingBlock(thinking="plain"),
    ThinkingBlock(thinking="signed", signature="c2ln"),
    ThinkingBlock(redacted="ZGF0YQ=="),
    ThinkingBlock(redacted='openai-responses:["r","x"]'),
    ThinkingBlock(signature="gemini:abc"),
]


def history(seed: int) -> tuple[Message, ...]:
    """A conversation of a few rounds, ending with the user; calls answered in order, as the context pipeline leaves it."""
    dice = random.Random(seed)
    messages: list[Message] = []
    for number in range(dice.randint(1, 6)):
        said: list[Block] = [TextBlock(text=f"question {number}")]
        if dice.random() < 0.3:
            said.append(ImageBlock(data="aGk="))
        messages.append(Message(role="user", content=tuple(said)))
        for turn in range(dice.randint(0, 3)):
            ids = [
                dice.choice([f"call_{number}_{turn}_{n}", f"functions.f:{number}{turn}{n}"])
                for n in range(dice.randint(1, 3))
            ]
            blocks: list[Block] = [*dice.sample(THINKING, dice.randint(0, 2))]
            if dice.random() < 0.5:
                blocks.append(TextBlock(text="I look"))
            arguments = ["", "{}", '{"p": "x"}', '{"p": "cut', "[]"]
            blocks += [ToolUseBlock(id=one, name="read_file", arguments=dice.choice(arguments)) for one in ids]
            messages.append(Message(role="assistant", content=tuple(blocks)))
            results = [
                ToolResultBlock(tool_use_id=one, tool_name="read_file", text=dice.choice(["", "r"])) for one in ids
            ]
            messages.append(Message(role="user", content=tuple(results)))
        if dice.random() < 0.7 and messages[-1].role == "user":
            messages.append(Message(role="assistant", content=(*dice.sample(THINKING, 1), TextBlock(text="done"))))
    if messages[-1].role == "assistant":
        messages.append(Message(role="user", content=(TextBlock(text="go on"),)))
    return joined(messages)


def joined(messages: list[Message]) -> tuple[Message, ...]:
    """Neighbours of one role as one message."""
    together: list[Message] = []
    for message in messages:
        if together and together[-1].role == message.role:
            message = Message(role=message.role, content=(*together.pop().content, *message.content))
        together.append(message)
    return tuple(together)


@every
@pytest.mark.parametrize("thinking", ["", "enabled", "disabled"])
def test_histories_are_accepted(protocol: str, thinking: Any) -> None:
    for seed in range(150):
        asked = CompletionRequest(
            messages=history(seed), system=("s", "t"), dynamic_boundary=1, tools=(TOOL,), thinking=thinking
        )
        assert_acceptable(protocol, BUILDERS[protocol](asked, Model(provider="p", id="claude-sonnet-4-5")))


CALL = ToolUseBlock(id="c1", name="read_file", arguments="{}")
RESULT = ToolResultBlock(tool_use_id="c1", tool_name="read_file", text="r")
GOOD = CompletionRequest(
    messages=(
        Message(role="user", content=(TextBlock(text="q"),)),
        Message(role="assistant", content=(TextBlock(text="a"), CALL)),
        Message(role="user", content=(RESULT, TextBlock(text="and"))),
    ),
    tools=(TOOL,),
)

TURNS = {"anthropic": "messages", "openai-chat": "messages", "openai-responses": "input", "gemini": "contents"}


@every
def test_a_lost_a_repeated_and_an_orphan_result_are_found(protocol: str) -> None:
    good = BUILDERS[protocol](GOOD, Model(provider="p", id="m"))
    assert problems(protocol, good) == []
    for place in range(1, len(good[TURNS[protocol]])):
        for change in ("drop", "twice"):
            body = copy.deepcopy(good)
            turns = body[TURNS[protocol]]
            spoken = turns[place].get("type") or turns[place].get("role")
            if spoken == "message" or (
                protocol in ("openai-chat", "openai-responses")
                and spoken in ("user", "assistant")
                and "tool_calls" not in turns[place]
            ):
                continue
            if change == "drop":
                del turns[place]
            else:
                turns.insert(place, copy.deepcopy(turns[place]))
            assert problems(protocol, body), (change, place)


def test_breaches_of_the_messages_api_are_found() -> None:
    good = anthropic(GOOD, Model(provider="p", id="m"))
    breaches: list[Callable[[dict[str, Any]], object]] = [
        lambda body: body.pop("max_tokens"),
        lambda body: body.pop("tools"),
        lambda body: body["messages"][0]["content"].clear(),
        lambda body: body["messages"][0]["content"][0].update(text=" "),
        lambda body: body["messages"][1]["content"][1].update(id="a.b"),
        lambda body: body["messages"][2]["content"].reverse(),
        lambda body: body["messages"][1]["content"].insert(0, {"type": "thinking", "thinking": "x"}),
        lambda body: body.update(thinking={"type": "enabled", "budget_tokens": 9000}),
        lambda body: body.update(thinking={"type": "adaptive"}, temperature=0.5),
        lambda body: body["tools"].append(body["tools"][0]),
        lambda body: body["messages"][0]["content"].extend(
            {"type": "text", "text": "x", "cache_control": {}} for _ in range(5)
        ),
    ]
    for breach in breaches:
        body = copy.deepcopy(good)
        breach(body)
        assert problems("anthropic", body)


def test_breaches_of_chat_completions_are_found() -> None:
    good = chat(GOOD, Model(provider="p", id="m"))
    breaches: list[Callable[[dict[str, Any]], object]] = [
        lambda body: body.update(max_tokens=1, max_completion_tokens=1),
        lambda body: body.update(stream=False),
        lambda body: body.update(tools=[], tool_choice="auto"),
        lambda body: body["messages"].append({"role": "system", "content": "late"}),
        lambda body: body["messages"].append({"role": "assistant", "content": ""}),
        lambda body: body["messages"][1]["tool_calls"][0]["function"].update(arguments="{"),
        lambda body: body["messages"][1]["tool_calls"][0].update(id="x" * 41),
        lambda body: body["messages"][3].update(content="\ud800"),
    ]
    for breach in breaches:
        body = copy.deepcopy(good)
        breach(body)
        assert problems("openai-chat", body)
