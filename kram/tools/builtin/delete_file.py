"""`delete_file`: one file. Folders are not deleted."""

from __future__ import annotations

import asyncio
from pathlib import Path

from kram.base import JsonView
from kram.tools.base import BaseTool, schema, text
from kram.tools.context import ToolContext
from kram.tools.tool import Effects, ToolFailed, ToolResult
from kram.workspace import FileProblem, unified


class DeleteFile(BaseTool):
    name = "delete_file"
    summary = "delete one file"
    description = "Deletes one file. A link is deleted itself, not what it leads to."
    parameters = schema(("path",), path=text("File path."))
    access = "write"
    instead_of = "bash rm"

    def effects(self, args: JsonView) -> Effects:
        return Effects(subject=str(args["path"]), deletes=(str(args["path"]),))

    async def preview(self, args: JsonView, context: ToolContext) -> str:
        target = context.workspace.resolve(str(args["path"]), "delete")
        try:
            before = context.workspace.read_text(target).text
        except FileProblem:
            return ""
        return unified(before, "", context.workspace.relative(target.real))

    async def run(self, args: JsonView, context: ToolContext) -> ToolResult:
        target = context.workspace.resolve(str(args["path"]), "delete")
        shown = context.workspace.relative(target.real)
        if target.kind == "missing":
            raise ToolFailed(f"There is no file {shown}.")
        if target.kind != "file":
            raise ToolFailed(f"{shown} is no file; only files are deleted.")
        diff = await self.preview(args, context)
        try:
            await asyncio.to_thread(Path(target.real).unlink)
        except OSError as failure:
            raise ToolFailed(f"{shown} cannot be deleted: {failure.strerror}.") from failure
        context.ledger.forget(target.real)
        return ToolResult(text=f"Deleted {shown}.", details={"path": shown, "diff": diff})
