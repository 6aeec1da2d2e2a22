"""A model's calls, made ready: unique ids, known tools, arguments that passed the gate. Nothing has run yet."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from kram.base import JsonView
from kram.messages import Completion, ToolUseBlock
from kram.tools import Refused, Tool, ToolRegistry, normalise_name, prepare

from .entries import WrittenCall, unique_call_id


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedCall:
    """`problem` is the error result of a call that cannot run; then `tool` may be None."""

    written: WrittenCall
    arguments: JsonView
    tool: Tool | None = None
    problem: str = ""


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
    return PreparedCall(written=written, arguments=prepared.args, tool=tool, problem=problem)


def _unknown(name: str, registry: ToolRegistry) -> str:
    names = ", ".join(registry.names())
    return f"There is no tool named '{name}'. The tools are: {names}."


def only_reads(calls: Sequence[PreparedCall]) -> bool:
    """Whether all calls may run at the same time: every one only reads."""
    return all(call.tool is None or bool(call.problem) or call.tool.parallel for call in calls)
