"""`artifact_read`: the one way back to what was too long to show: ranges of it, or the lines that match.

An id is an artifact's (`art_…`, an output that was spilled to disk) or that of an entry of this session, which the view names
where it shortened one (`event_id=…`).
"""

from __future__ import annotations

import asyncio
from typing import Any

from kram.base import JsonView, visible
from kram.tools.base import BaseTool, flag, number, schema, text
from kram.tools.context import ToolContext
from kram.tools.tool import Effects, ToolFailed, ToolResult
from kram.workspace import ArtifactSlice, BadPattern, FoundLine, NoArtifact, search_bytes, slice_of

MAX_BYTES = 8_000
MAX_FOUND = 50


class ArtifactRead(BaseTool):
    name = "artifact_read"
    summary = "read or search an output that was too long to show"
    description = (
        f"Reads at most {MAX_BYTES} bytes of an artifact, or of an earlier message or output that was shortened, from `offset` "
        "on; a negative offset counts from the end. With `search` it gives the lines that match instead, each with the offset "
        "to read on from."
    )
    parameters = schema(
        ("id",),
        id=text("art_ and 16 hex digits, or the event_id that stands where something was shortened."),
        offset=number("First byte; 0 without it."),
        limit=number(f"Bytes, at most {MAX_BYTES}.", minimum=1, maximum=MAX_BYTES),
        search=text("Regular expression a line has to match."),
        ignore_case=flag("Upper and lower case are the same in search."),
    )
    parallel = True

    def effects(self, args: JsonView) -> Effects:
        return Effects(subject=str(args.get("id") or ""))

    async def run(self, args: JsonView, context: ToolContext) -> ToolResult:
        wanted = str(args["id"]).strip().removeprefix("event_id=")
        try:
            if args.get("search"):
                return _found(wanted, await _search(wanted, args, context))
            return _read(await _range(wanted, args, context))
        except (NoArtifact, BadPattern) as failure:
            raise ToolFailed(f"{failure}.") from failure


async def _range(wanted: str, args: JsonView, context: ToolContext) -> ArtifactSlice:
    offset, limit = int(args.get("offset") or 0), int(args.get("limit") or MAX_BYTES)
    if (data := _entry(wanted, context)) is not None:
        return slice_of(wanted, data, offset, limit)
    return await asyncio.to_thread(context.artifacts.read, wanted, offset, limit)


async def _search(wanted: str, args: JsonView, context: ToolContext) -> list[FoundLine]:
    how: dict[str, Any] = {"ignore_case": bool(args.get("ignore_case")), "limit": MAX_FOUND}
    if (data := _entry(wanted, context)) is not None:
        return await search_bytes(data, str(args["search"]), **how)
    return await context.artifacts.search(wanted, str(args["search"]), **how)


def _entry(wanted: str, context: ToolContext) -> bytes | None:
    """What an entry of this session holds, None where the id is an artifact's."""
    if wanted.startswith("art_"):
        return None
    entry = context.recall.entry(wanted)
    if entry is None:
        raise NoArtifact(
            f"There is neither an artifact nor an entry of this session '{visible(wanted[:60])}'; "
            "ids are art_ and 16 hex digits, or an event_id"
        )
    return entry.content.encode("utf-8", "replace")


def _kind(wanted: str) -> str:
    return "artifact" if wanted.startswith("art_") else "entry"


def _read(part: ArtifactSlice) -> ToolResult:
    going_on = f"[{part.remaining} bytes remain; next offset {part.next_offset}]"
    note = going_on if part.remaining else f"[end, {part.size} bytes]"
    return ToolResult(
        text=visible(part.text.removesuffix("\n")) + f"\n{note}",
        details={_kind(part.id): part.id, "offset": part.offset, "next_offset": part.next_offset, "size": part.size},
    )


def _found(wanted: str, found: list[FoundLine]) -> ToolResult:
    rows = [f"line {one.line}, offset {one.offset}: {visible(one.text, keep_newlines=False)}" for one in found]
    if len(found) == MAX_FOUND:
        rows.append(f"[the first {MAX_FOUND} matches; there may be more]")
    return ToolResult(text="\n".join(rows) or "(no match)", details={_kind(wanted): wanted, "matches": len(found)})
