"""`artifact_read`: a range of an output that was too long, or the lines of it that match."""

from __future__ import annotations

import asyncio

from kram.base import JsonView, visible
from kram.tools.base import BaseTool, flag, number, schema, text
from kram.tools.context import ToolContext
from kram.tools.tool import Effects, ToolFailed, ToolResult
from kram.workspace import BadPattern, NoArtifact

MAX_BYTES = 8_000
MAX_FOUND = 50


class ArtifactRead(BaseTool):
    name = "artifact_read"
    summary = "read or search an output that was too long to show"
    description = (
        f"Reads at most {MAX_BYTES} bytes of an artifact from `offset` on; a negative offset counts from the end. With "
        "`search` it gives the lines that match instead, each with the offset to read on from."
    )
    parameters = schema(
        ("id",),
        id=text("art_ and 16 hex digits."),
        offset=number("First byte; 0 without it."),
        limit=number(f"Bytes, at most {MAX_BYTES}.", minimum=1, maximum=MAX_BYTES),
        search=text("Regular expression a line has to match."),
        ignore_case=flag("Upper and lower case are the same in search."),
    )
    parallel = True

    def effects(self, args: JsonView) -> Effects:
        return Effects(subject=str(args.get("id") or ""))

    async def run(self, args: JsonView, context: ToolContext) -> ToolResult:
        try:
            if args.get("search"):
                return await _search(args, context)
            return await _read(args, context)
        except (NoArtifact, BadPattern) as failure:
            raise ToolFailed(f"{failure}.") from failure


async def _read(args: JsonView, context: ToolContext) -> ToolResult:
    part = await asyncio.to_thread(
        context.artifacts.read, str(args["id"]), int(args.get("offset") or 0), int(args.get("limit") or MAX_BYTES)
    )
    if part.remaining:
        note = f"[{part.remaining} bytes remain; next offset {part.next_offset}]"
    else:
        note = f"[end of artifact, {part.size} bytes]"
    return ToolResult(
        text=visible(part.text.removesuffix("\n")) + f"\n{note}",
        details={"artifact": part.id, "offset": part.offset, "next_offset": part.next_offset, "size": part.size},
    )


async def _search(args: JsonView, context: ToolContext) -> ToolResult:
    found = await context.artifacts.search(
        str(args["id"]), str(args["search"]), ignore_case=bool(args.get("ignore_case")), limit=MAX_FOUND
    )
    rows = [f"line {one.line}, offset {one.offset}: {visible(one.text, keep_newlines=False)}" for one in found]
    if len(found) == MAX_FOUND:
        rows.append(f"[the first {MAX_FOUND} matches; there may be more]")
    return ToolResult(
        text="\n".join(rows) or "(no match)", details={"artifact": str(args["id"]), "matches": len(found)}
    )
