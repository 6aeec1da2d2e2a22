"""Reading answers in the heredoc dialect in tests: what a person would see, what would be called, what the gate says."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from kram.base import Data
from kram.messages import Accumulator, TextBlock, ToolSpec, ToolUseBlock
from kram.providers.heredoc import HeredocReader
from kram.tools import Ready, Refused, prepare


class Said(Data):
    """`calls` as name and raw arguments, in order; `unfinished` counts calls that never ended."""

    text: str
    calls: tuple[tuple[str, str], ...]
    unfinished: int = 0

    def arguments(self) -> list[Any]:
        return [json.loads(raw) for _, raw in self.calls]


def said(pieces: Iterable[str], *, tools: Sequence[str] = (), cut: bool = False) -> Said:
    """What an answer in these pieces adds up to."""
    reader, accumulator = HeredocReader(tools), Accumulator()
    for piece in pieces:
        for event in reader.feed(piece):
            accumulator.add(event)
    for event in reader.close(cut=cut):
        accumulator.add(event)
    done = accumulator.completion()
    return Said(
        text="".join(block.text for block in done.content if isinstance(block, TextBlock)),
        calls=tuple((block.name, block.arguments) for block in done.content if isinstance(block, ToolUseBlock)),
        unfinished=len(done.unfinished),
    )


def refusal(name: str, raw: str) -> str:
    """What the argument gate says against arguments, "" where they may run."""
    judged = prepare(name, raw, {"type": "object"})
    return judged.text if isinstance(judged, Refused) else ""


def runs(raw: str, schema: Any) -> bool:
    """Whether arguments fit a tool's schema."""
    return isinstance(prepare("tool", raw, schema), Ready)


def tool(name: str, *required: str, optional: Sequence[str] = (), **types: str) -> ToolSpec:
    """A tool whose parameters are strings unless a type is given."""
    names = [*required, *optional]
    properties = {one: {"type": types.get(one, "string")} for one in names}
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return ToolSpec(name=name, description=f"does {name}", parameters=schema)
