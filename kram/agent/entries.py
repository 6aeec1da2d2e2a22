"""Answers and results as durable entries."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kram.base import Data, JsonView, new_id
from kram.context import Slots
from kram.messages import (
    Completion,
    Entry,
    Kind,
    Part,
    Route,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    entry,
    to_plain,
)

from .guards import Repeated, trimmed


class WrittenCall(Data):
    """A call as it is stored: a unique id, the name, and arguments that always parse (a stand-in where the model's did not)."""

    id: str
    name: str
    arguments: str
    signature: str = ""


def interrupted_entry(completion: Completion, entry_id: str, model: str, route: Route) -> Entry:
    """What had come of a message when it was cut off, and what it cost until then where the provider said so."""
    said = _said(_parts(completion), entry_id=entry_id, model=model, status="interrupted")
    usage = route.usage if completion.usage_reported else None
    return msgspec.structs.replace(said, usage=usage, details={"route": to_plain(route)})


def answer_entries(
    completion: Completion,
    calls: Sequence[WrittenCall],
    *,
    entry_id: str = "",
    model: str = "",
    route: Route | None = None,
) -> list[Entry]:
    """One assistant entry for what was said before the first call, then the calls in order, then what was said after.

    What a model says or thinks between two calls travels as the `parts` of the call it leads to. Usage and route stand on
    the first entry.
    """
    waiting = iter(calls)
    pending: list[Part] = []
    entries: list[Entry] = []
    for block in completion.content:
        if isinstance(block, TextBlock | ThinkingBlock):
            pending.append(block)
        elif isinstance(block, ToolUseBlock):
            if not entries and pending:
                entries.append(_said(pending, entry_id=entry_id, model=model))
                pending = []
            entries.append(_called(next(waiting), pending, model))
            pending = []
    if pending or not entries:
        entries.append(_said(pending, entry_id="" if entries else entry_id, model=model))
    if route is None:
        return entries
    usage = route.usage if completion.usage_reported else None
    first = msgspec.structs.replace(entries[0], usage=usage, details={"route": to_plain(route)})
    return [first, *entries[1:]]


def shown_with(said: Entry, slots: Slots) -> Entry:
    """An answer that quotes a tool's output is stored as it was written; what a person sees stands beside it."""
    shown = slots.fill(said.content) if said.kind == Kind.ASSISTANT else said.content
    return said if shown == said.content else msgspec.structs.replace(said, details={**said.details, "shown": shown})


def result_entry(
    call: WrittenCall, text: str, *, is_error: bool, details: JsonView, parts: Sequence[Part] = ()
) -> Entry:
    """The one result of a call."""
    return entry(
        Kind.TOOL_RESULT,
        text,
        tool_call_id=call.id,
        tool_name=call.name,
        is_error=is_error,
        details=dict(details),
        parts=tuple(parts),
    )


def unique_call_id(wanted: str, taken: set[str]) -> str:
    """The provider's id unless it is missing or already used in this session (some count from zero in every answer)."""
    call_id = wanted if wanted and wanted not in taken else f"call_{new_id().replace('-', '')[:24]}"
    taken.add(call_id)
    return call_id


def cut_short(completion: Completion, repeated: Repeated) -> Completion:
    """What is kept of an answer that went round in circles: no calls, and one copy of what was repeated."""
    parts = _parts(completion)
    if repeated.where == "content" and parts and isinstance(parts[-1], TextBlock):
        parts[-1] = TextBlock(text=trimmed(parts[-1].text, repeated))
    return msgspec.structs.replace(completion, content=tuple(parts), stop_reason="repetition")


def without_calls(completion: Completion) -> Completion:
    """The answer as text only."""
    return msgspec.structs.replace(completion, content=tuple(_parts(completion)))


def _parts(completion: Completion) -> list[Part]:
    return [block for block in completion.content if isinstance(block, TextBlock | ThinkingBlock)]


def _said(parts: Sequence[Part], *, entry_id: str, model: str, status: str = "") -> Entry:
    text = "".join(part.text for part in parts if isinstance(part, TextBlock))
    return entry(Kind.ASSISTANT, text, entry_id=entry_id, parts=tuple(parts), model=model, status=status)


def _called(call: WrittenCall, parts: Sequence[Part], model: str) -> Entry:
    return entry(
        Kind.TOOL_CALL,
        call.arguments,
        tool_call_id=call.id,
        tool_name=call.name,
        signature=call.signature,
        parts=tuple(parts),
        model=model,
    )
