"""`glob`: files whose path fits a pattern."""

from __future__ import annotations

import asyncio
from pathlib import Path

from kram.base import JsonView
from kram.tools.base import BaseTool, schema, text
from kram.tools.context import ToolContext
from kram.tools.tool import Effects, ToolFailed, ToolResult
from kram.workspace import find_files

LIMIT = 500


class GlobFiles(BaseTool):
    name = "glob"
    summary = "find files by name pattern"
    description = (
        "Finds files by a pattern such as `**/*.py` or `src/*.{ts,tsx}`. Paths come relative to the project; "
        "what git ignores is left out."
    )
    parameters = schema(
        ("pattern",), pattern=text("Glob with **, *, ?, [..] and {a,b}."), path=text("Folder to look in.")
    )
    parallel = True
    instead_of = "bash find"

    def effects(self, args: JsonView) -> Effects:
        path = str(args.get("path") or ".")
        return Effects(subject=path, reads=(path,))

    async def run(self, args: JsonView, context: ToolContext) -> ToolResult:
        target = context.workspace.resolve(str(args.get("path") or "."), "read")
        if target.kind != "dir":
            raise ToolFailed(f"There is no folder {context.workspace.relative(target.real)}.")
        root = context.workspace.root if target.real.startswith(str(context.workspace.root)) else Path(target.real)
        found, more = await asyncio.to_thread(find_files, root, Path(target.real), str(args["pattern"]), limit=LIMIT)
        rows = [*found, f"[more than {LIMIT}; narrow the pattern]"] if more else found
        return ToolResult(text="\n".join(rows) or "(no file fits)", details={"count": len(found)})
