"""Quoting a tool's output without writing it again: `{OUTPUT}` and `{name}` in a reply stand for what tools gave.

A slot is a section `<name>…</name>` of a raw result; `OUTPUT` is the last whole result without its section tags. What is stored
keeps the placeholders; what is shown has them filled in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from kram.messages import Entry, Kind, TextBlock

OUTPUT = "OUTPUT"
NOTE = (
    "To quote tool output in an answer without writing it again, put {OUTPUT} for the last tool result, or {name} for its "
    "section <name>…</name>. The reader sees the text itself."
)
_SECTION = re.compile(r"<([A-Za-z_]\w*)>(.*?)</\1>", re.DOTALL | re.ASCII)
_PLACE = re.compile(r"\{([A-Za-z_]\w*)\}", re.ASCII)


def slots_of(result: str) -> dict[str, str]:
    """What one raw result can be quoted by."""
    found = {match[1]: match[2] for match in _SECTION.finditer(result)}
    plain = result
    while True:
        # Sections may hold sections; each pass takes one layer of tags away.
        inner = _SECTION.sub(lambda match: match[2], plain)
        if inner == plain:
            break
        found.update({match[1]: match[2] for match in _SECTION.finditer(inner)})
        plain = inner
    return {**found, OUTPUT: plain}


def filled(text: str, slots: Mapping[str, str]) -> str:
    """The text with its known placeholders filled in; braces that name nothing stay."""
    if "{" not in text or not slots:
        return text
    return _PLACE.sub(lambda match: slots.get(match[1], match[0]), text)


class Slots:
    """The slots of one turn; of two with one name the later counts."""

    def __init__(self) -> None:
        self._slots: dict[str, str] = {}

    def capture(self, result: str) -> None:
        self._slots.update(slots_of(result))

    def fill(self, text: str) -> str:
        return filled(text, self._slots)


def expand_entries(entries: Sequence[Entry]) -> list[Entry]:
    """A history to show: the assistant's placeholders filled from all results in it. The entries given are left alone."""
    slots: dict[str, str] = {}
    for entry in entries:
        if entry.kind == Kind.TOOL_RESULT:
            slots.update(slots_of(entry.content))
    return [_expanded(entry, slots) if entry.kind == Kind.ASSISTANT else entry for entry in entries]


def _expanded(entry: Entry, slots: Mapping[str, str]) -> Entry:
    content = filled(entry.content, slots)
    if content == entry.content:
        return entry
    parts = tuple(
        msgspec.structs.replace(part, text=filled(part.text, slots)) if isinstance(part, TextBlock) else part
        for part in entry.parts
    )
    return msgspec.structs.replace(entry, content=content, parts=parts)


def sections(result: str) -> list[str]:
    """The names of a result's sections, sorted."""
    return sorted(name for name in slots_of(result) if name != OUTPUT)


def system_note(system: str, *, tools: Iterable[object], wanted: bool) -> str:
    """The system text with the note, where there are tools to quote and it is wanted."""
    if not wanted or not list(tools):
        return system
    return f"{system}\n\n{NOTE}" if system else NOTE
