"""`grep`: lines that fit a regular expression."""

from __future__ import annotations

from pathlib import Path

from kram.base import JsonView
from kram.tools.base import BaseTool, flag, number, schema, text
from kram.tools.context import ToolContext
from kram.tools.tool import Effects, ToolFailed, ToolResult
from kram.workspace import Query, SearchFailed, grep

MAX_CHARS = 40_000


class Grep(BaseTool):
    name = "grep"
    summary = "search file contents by regular expression"
    description = (
        "Searches the project's files. Results are `path:line:text`; lines of context have `-` instead of `:`. "
        "What git ignores, binary and very large files are left out."
    )
    parameters = schema(
        ("pattern",),
        pattern=text("Regular expression."),
        path=text("File or folder to search in; the project without one."),
        glob=text("Only files that fit, e.g. `*.py`."),
        ignore_case=flag("Upper and lower case are the same."),
        context=number("Lines shown around each match.", minimum=0, maximum=20),
        files_only=flag("Only the paths of files that match."),
    )
    parallel = True
    instead_of = "bash grep or rg"

    def effects(self, args: JsonView) -> Effects:
        path = str(args.get("path") or ".")
        return Effects(subject=path, reads=(path,))

    async def run(self, args: JsonView, context: ToolContext) -> ToolResult:
        target = context.workspace.resolve(str(args.get("path") or "."), "read")
        if target.kind not in ("file", "dir"):
            raise ToolFailed(f"There is no file or folder {context.workspace.relative(target.real)}.")
        query = Query(
            pattern=str(args["pattern"]),
            glob=str(args.get("glob") or ""),
            ignore_case=bool(args.get("ignore_case")),
            context=int(args.get("context") or 0),
            files_only=bool(args.get("files_only")),
        )
        root = context.workspace.root if target.inside else Path(target.real).parent
        try:
            found = await grep(root, Path(target.real), query)
        except SearchFailed as failure:
            raise ToolFailed(str(failure)) from failure
        rows = "\n".join(found.lines)
        truncated = found.truncated or len(rows) > MAX_CHARS
        if truncated:
            rows = rows[:MAX_CHARS] + f"\n[more than {found.matches} matches; narrow the pattern, path or glob]"
        return ToolResult(text=rows or "(no match)", details={"matches": found.matches})
