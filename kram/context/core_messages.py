"""Histories of role messages, as other engines keep and export them: to entries and back, with checkpoints by index.

Here checkpoints hold the ids of entries; a history that comes from elsewhere has positions only.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kram.base import Data
from kram.messages import Entry, Kind, entry

SYSTEM = "system"
NOWHERE = -1


class CoreCall(Data):
    id: str
    name: str
    arguments: str = "{}"


class CoreMessage(Data):
    """`role`: system, user, assistant or tool; `tool_call_id` of a tool's answer."""

    role: str
    content: str = ""
    tool_calls: tuple[CoreCall, ...] = ()
    tool_call_id: str = ""


class IndexedCheckpoint(Data):
    """A finished turn from message `start` to `end`, both included; -1 is nowhere."""

    start: int
    end: int
    summary: str


def to_entries(messages: Sequence[CoreMessage]) -> list[Entry]:
    """An assistant's calls become entries of their own behind its text; ids are positions."""
    names = {call.id: call.name for message in messages for call in message.tool_calls}
    found: list[Entry] = []
    for at, one in enumerate(messages):
        match one.role:
            case "tool":
                name = names.get(one.tool_call_id, "")
                call_id = one.tool_call_id
                found.append(
                    entry(Kind.TOOL_RESULT, one.content, entry_id=f"m{at}", tool_call_id=call_id, tool_name=name)
                )
            case "assistant":
                if one.content or not one.tool_calls:
                    found.append(entry(Kind.ASSISTANT, one.content, entry_id=f"m{at}"))
                found += [
                    entry(
                        Kind.TOOL_CALL,
                        call.arguments,
                        entry_id=f"m{at}.{number}",
                        tool_call_id=call.id,
                        tool_name=call.name,
                    )
                    for number, call in enumerate(one.tool_calls)
                ]
            case "user":
                found.append(entry(Kind.USER, one.content, entry_id=f"m{at}"))
            case _:
                found.append(entry(SYSTEM, one.content, entry_id=f"m{at}"))
    return found


def from_entries(entries: Sequence[Entry]) -> list[CoreMessage]:
    """Calls join the assistant's message before them; what is neither the model's nor a tool's is the user's."""
    messages: list[CoreMessage] = []
    for one in entries:
        match one.kind:
            case Kind.TOOL_RESULT:
                messages.append(CoreMessage(role="tool", content=one.content, tool_call_id=one.tool_call_id))
            case Kind.TOOL_CALL:
                call = CoreCall(id=one.tool_call_id, name=one.tool_name, arguments=one.content)
                if messages and messages[-1].role == "assistant":
                    last = messages.pop()
                    messages.append(msgspec.structs.replace(last, tool_calls=(*last.tool_calls, call)))
                else:
                    messages.append(CoreMessage(role="assistant", tool_calls=(call,)))
            case Kind.ASSISTANT:
                messages.append(CoreMessage(role="assistant", content=one.content))
            case "system":
                messages.append(CoreMessage(role="system", content=one.content))
            case _:
                head = f"[{one.tag}] " if one.tag else ""
                messages.append(CoreMessage(role="user", content=head + one.content))
    return messages


def substituted(messages: Sequence[CoreMessage], checkpoints: Sequence[IndexedCheckpoint]) -> list[CoreMessage]:
    """Each usable range as one user message, its summary; the first of two that overlap counts. Then assistants in a row
    are one, with the calls of both."""
    usable = [one for one in checkpoints if one.summary.strip() and 0 <= one.start <= one.end < len(messages)]
    replaced: list[CoreMessage] = []
    at = 0
    for one in sorted(usable, key=lambda checkpoint: checkpoint.start):
        if one.start < at:
            continue
        replaced += [*messages[at : one.start], CoreMessage(role="user", content=one.summary)]
        at = one.end + 1
    return _joined([*replaced, *messages[at:]])


def shifted(
    old: Sequence[CoreMessage], new: Sequence[CoreMessage], checkpoints: Sequence[IndexedCheckpoint]
) -> list[IndexedCheckpoint]:
    """Checkpoints of `old` as they stand in `new`, a history in which messages are missing or moved.

    Both ends there: moved with them. One gone: cut to what is left. Both gone: nowhere. What was nowhere or outside stays.
    """
    if not old or not new:
        return list(checkpoints)
    place = _places(old, new)
    return [_shift(one, place, len(old)) for one in checkpoints]


def _shift(one: IndexedCheckpoint, place: dict[int, int], size: int) -> IndexedCheckpoint:
    if not 0 <= one.start <= one.end < size:
        return one
    start, end = place.get(one.start), place.get(one.end)
    if start is None and end is None:
        return msgspec.structs.replace(one, start=NOWHERE, end=NOWHERE)
    inside = [place[at] for at in range(one.start, one.end + 1) if at in place]
    first = start if start is not None else min(inside)
    last = end if end is not None else max(inside)
    return msgspec.structs.replace(one, start=min(first, last), end=max(first, last))


def _places(old: Sequence[CoreMessage], new: Sequence[CoreMessage]) -> dict[int, int]:
    """Index in `old` -> index in `new`: the first free message that is wholly the same, else one that says the same. A
    tool's answer has to be wholly the same."""
    free = set(range(len(new)))
    found: dict[int, int] = {}
    for at, one in enumerate(old):
        scored = [(_score(one, new[other]), -other) for other in free]
        score, other = max(scored, default=(0, 0))
        if score >= (100 if one.role == "tool" else 50):
            found[at] = -other
            free.discard(-other)
    return found


def _score(one: CoreMessage, other: CoreMessage) -> int:
    if (one.role, one.content) != (other.role, other.content):
        return 0
    names = [call.name for call in one.tool_calls] == [call.name for call in other.tool_calls]
    return 100 if names and one.tool_call_id == other.tool_call_id else 50


def _joined(messages: Sequence[CoreMessage]) -> list[CoreMessage]:
    joined: list[CoreMessage] = []
    for one in messages:
        if joined and joined[-1].role == one.role == "assistant":
            last = joined.pop()
            text = "\n".join(part for part in (last.content, one.content) if part)
            one = msgspec.structs.replace(last, content=text, tool_calls=(*last.tool_calls, *one.tool_calls))
        joined.append(one)
    return joined
