"""Tools beyond the arguments: forced and parallel calls, and histories with calls in every shape that servers refuse."""

from __future__ import annotations

import json

import msgspec

from kram.messages import CompletionRequest, Message, TextBlock, ToolResultBlock, ToolSpec, ToolUseBlock, user_text

from .lab import CHAT, Lab, Reply
from .outcome import Outcome, outcome
from .surface import ECHO

WEATHER = ToolSpec(
    name="weather",
    description="The weather in one city.",
    parameters={"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
)
PECULIAR = ("empty_content", "nine_char_ids", "name_in_results", "assistant_after_tool")
CALL_ID = "call_probe_0123456789"


async def native_calls(lab: Lab) -> Outcome:
    """Whether it takes tools at all, and calls one when asked to."""
    ask = user_text("What is the weather in Oslo? Use the tool.")
    reply = await lab.ask(CompletionRequest(messages=(ask,), tools=(WEATHER,), temperature=0))
    if reply.refused:
        return outcome("native tools", "no", reply.refusal, facts={"tools": False})
    if reply.calls:
        first = reply.calls[0]
        return outcome("native tools", "yes", f"{first.name}({first.arguments})", facts={"tools": True})
    text = reply.text.replace("\n", " ")[:80]
    if WEATHER.name in text and "{" in text:
        return outcome("native tools", "partly", f"the call came as text, where kram looks for it, too: {text}")
    return outcome("native tools", "unknown", f"took the tools and called none; it wrote: {text}")


async def text_calls(lab: Lab) -> Outcome:
    """For models without native calls that arrive: the same call written as text, held to its form by a grammar where the
    server has one. What works here is what kram will use."""
    request = CompletionRequest(
        messages=(user_text("What is the weather in Oslo? Use the tool."),), tools=(WEATHER,), tool_choice="required"
    )
    facts = {"tool_format": "heredoc", "tools": True}
    reply = await lab.ask(msgspec.structs.replace(request, temperature=0), facts=facts)
    if reply.refused:
        return outcome("text calls", "no", reply.refusal)
    if any(call.name == WEATHER.name and _has_city(call) for call in reply.calls):
        call = reply.calls[0]
        return outcome("text calls", "yes", f"{call.name}({call.arguments}), written as text", facts=facts)
    return outcome("text calls", "no", f"none came; it wrote: {_short(reply)}")


def _has_city(call: ToolUseBlock) -> bool:
    try:
        return bool(json.loads(call.arguments)["city"])
    except (ValueError, KeyError, TypeError):
        return False


async def forced_call(lab: Lab) -> Outcome:
    """`tool_choice: required` where nothing asks for a tool."""
    request = CompletionRequest(
        messages=(user_text("Say hello."),), tools=(WEATHER,), tool_choice="required", temperature=0
    )
    reply = await lab.ask(request)
    if reply.refused:
        return outcome("forced call", "no", reply.refusal)
    if reply.calls:
        return outcome("forced call", "yes", "tool_choice required is obeyed")
    return outcome("forced call", "no", "tool_choice required is taken and ignored")


async def parallel_calls(lab: Lab) -> Outcome:
    ask = user_text("What is the weather in Oslo, and what is it in Lima? Use the tool for both cities at once.")
    reply = await lab.ask(CompletionRequest(messages=(ask,), tools=(WEATHER,), temperature=0))
    if reply.refused:
        return outcome("parallel calls", "no", reply.refusal)
    if len(reply.calls) > 1:
        distinct = len({call.id for call in reply.calls}) == len(reply.calls)
        return outcome(
            "parallel calls",
            "yes",
            f"{len(reply.calls)} calls in one answer" + ("" if distinct else ", with the same id"),
        )
    return outcome("parallel calls", "unknown", f"{len(reply.calls)} call in one answer")


async def call_history(lab: Lab) -> Outcome:
    """A history with a call and its result, then the person's next words. Each known peculiarity is tried until it is taken."""
    return await _taken(
        lab,
        "history with calls",
        _history(),
        ("empty_content", "nine_char_ids", "name_in_results", "assistant_after_tool"),
    )


def _history() -> CompletionRequest:
    called = ToolUseBlock(id=CALL_ID, name=ECHO.name, arguments='{"text": "heron"}')
    result = ToolResultBlock(tool_use_id=CALL_ID, tool_name=ECHO.name, text="heron")
    return CompletionRequest(
        messages=(
            user_text("Call echo with the text heron."),
            Message(role="assistant", content=(called,)),
            Message(role="user", content=(result, TextBlock(text="Now answer with one word: which bird was it?"))),
        ),
        tools=(ECHO,),
    )


async def _taken(lab: Lab, name: str, request: CompletionRequest, tries: tuple[str, ...]) -> Outcome:
    reply = await lab.ask(request)
    if not reply.refused:
        return outcome(name, "yes", f"taken; it says: {_short(reply)}")
    if lab.config.kind not in CHAT:
        return outcome(name, "no", reply.refusal)
    for quirks in (*((one,) for one in tries), tries):
        again = await lab.ask(request, quirks=quirks)
        if not again.refused:
            return outcome(name, "yes", f"taken with {', '.join(quirks)}", quirks=quirks)
    return outcome(name, "no", reply.refusal)


def _short(reply: Reply) -> str:
    return reply.text.replace("\n", " ")[:40] or f"{len(reply.calls)} call(s)"
