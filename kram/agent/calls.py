"""A model's calls, made ready: unique ids, known tools, arguments that passed the gate. Nothing has run yet."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from kram.base import JsonView
from kram.messages import Completion, TextBlock, ThinkingBlock, ToolSpec, ToolUseBlock
from kram.tools import Refused, Tool, ToolRegistry, normalise_name, prepare, read_text_calls

from .entries import WrittenCall, unique_call_id


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedCall:
    """`problem` is the error result of a call that cannot run; then `tool` may be None."""

    written: WrittenCall
    arguments: JsonView
    tool: Tool | None = None
    problem: str = ""


def with_text_calls(completion: Completion, tools: Sequence[ToolSpec]) -> tuple[Completion, str]:
    """An answer whose text holds calls in a known dialect, with those calls as blocks of their own.

    Unchanged where there are proper calls or none at all; the second value says what looked like a call and was not run.
    """
    text = "".join(block.text for block in completion.content if isinstance(block, TextBlock))
    if not tools or not text.strip() or any(isinstance(block, ToolUseBlock) for block in completion.content):
        return completion, ""
    read = read_text_calls(text, {tool.name: tool.parameters for tool in tools})
    if not read.calls:
        return completion, read.problem
    thinking = [block for block in completion.content if isinstance(block, ThinkingBlock)]
    said = [TextBlock(text=read.text.strip())] if read.text.strip() else []
    calls = [ToolUseBlock(id="", name=call.name, arguments=call.raw()) for call in read.calls]
    return msgspec.structs.replace(completion, content=(*thinking, *said, *calls), stop_reason="tool_use"), ""


def prepare_calls(completion: Completion, registry: ToolRegistry, taken: set[str]) -> list[PreparedCall]:
    """In the order of the calls. Calls that the stream never closed are not among them."""
    blocks = [block for block in completion.content if isinstance(block, ToolUseBlock)]
    return [_prepared(block, registry, taken) for block in blocks]


def _prepared(block: ToolUseBlock, registry: ToolRegistry, taken: set[str]) -> PreparedCall:
    name = normalise_name(block.name)
    call_id = unique_call_id(block.id, taken)
    tool = registry.get(name)
    schema = tool.parameters if tool else {"type": "object"}
    prepared = prepare(name, block.arguments, schema)
    if isinstance(prepared, Refused):
        written = WrittenCall(id=call_id, name=name, arguments=prepared.stand_in, signature=block.signature)
        return PreparedCall(written=written, arguments=json.loads(prepared.stand_in), tool=tool, problem=prepared.text)
    written = WrittenCall(id=call_id, name=name, arguments=prepared.text, signature=block.signature)
    problem = "" if tool else _unknown(name, registry)
    # To a tool, null is the same as not given.
    arguments = {key: value for key, value in prepared.args.items() if value is not None}
    return PreparedCall(written=written, arguments=arguments, tool=tool, problem=problem)


def _unknown(name: str, registry: ToolRegistry) -> str:
    names = ", ".join(registry.names())
    return f"There is no tool named '{name}'. The tools are: {names}."


def only_reads(calls: Sequence[PreparedCall]) -> bool:
    """Whether all calls may run at the same time: every one only reads."""
    return all(call.tool is None or bool(call.problem) or call.tool.parallel for call in calls)
