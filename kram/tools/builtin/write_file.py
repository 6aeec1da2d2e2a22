"""`write_file`: a whole file, new or replaced. A file that was there and was not read is not replaced."""

from __future__ import annotations

from kram.base import JsonView, Target, content_hash
from kram.tools.base import BaseTool, schema, text
from kram.tools.context import ToolContext
from kram.tools.tool import Effects, ToolFailed, ToolResult
from kram.workspace import FileProblem, TextFile, counts, unified


class WriteFile(BaseTool):
    name = "write_file"
    summary = "create a file, or replace one you have read"
    description = (
        "Writes a whole file and makes its folders. To change part of a file use edit_file. "
        "An existing file must have been read in this session."
    )
    parameters = schema(
        ("path", "content"), path=text("File path, relative to the project."), content=text("The whole content.")
    )
    access = "write"
    instead_of = "bash with > or tee"

    def effects(self, args: JsonView) -> Effects:
        return Effects(subject=str(args["path"]), writes=(str(args["path"]),))

    async def preview(self, args: JsonView, context: ToolContext) -> str:
        target, before = self._before(args, context)
        return unified(before.text if before else "", str(args["content"]), context.workspace.relative(target.real))

    async def run(self, args: JsonView, context: ToolContext) -> ToolResult:
        target, before = self._before(args, context)
        content, shown = str(args["content"]), context.workspace.relative(target.real)
        try:
            data = context.workspace.write_text(target, content, before)
        except FileProblem as failure:
            raise ToolFailed(str(failure)) from failure
        context.ledger.note(target.real, content_hash(data))
        diff = unified(before.text if before else "", content, shown)
        added, removed = counts(diff)
        verb = "Replaced" if before else "Created"
        return ToolResult(
            text=f"{verb} {shown}: {len(data)} bytes, {len(content.splitlines())} lines.",
            details={"path": shown, "diff": diff, "added": added, "removed": removed},
        )

    @staticmethod
    def _before(args: JsonView, context: ToolContext) -> tuple[Target, TextFile | None]:
        target = context.workspace.resolve(str(args["path"]), "write")
        shown = context.workspace.relative(target.real)
        if target.kind == "dir":
            raise ToolFailed(f"{shown} is a folder.")
        if target.kind == "missing":
            return target, None
        try:
            before = context.workspace.read_text(target)
        except FileProblem as failure:
            raise ToolFailed(f"{failure} It is not replaced.") from failure
        state = context.ledger.state(target.real, before.hash)
        if not state.known:
            raise ToolFailed(f"{shown} exists and was not read in this session. Read it first, then write or edit it.")
        if state.changed:
            raise ToolFailed(f"{shown} has changed since you read it. Read it again first.")
        return target, before
