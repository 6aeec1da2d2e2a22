"""`move_file`: renames or moves one file or folder; never over something that is there, unless told to."""

from __future__ import annotations

import asyncio
from pathlib import Path

from kram.base import JsonView
from kram.tools.base import BaseTool, flag, schema, text
from kram.tools.context import ToolContext
from kram.tools.tool import Effects, ToolFailed, ToolResult


class MoveFile(BaseTool):
    name = "move_file"
    summary = "move or rename a file"
    description = "Moves or renames a file or folder and makes the folders it needs."
    parameters = schema(
        ("old_path", "new_path"),
        old_path=text("What to move."),
        new_path=text("Its new path, with the name."),
        overwrite=flag("Replace a file that is already there."),
    )
    access = "write"
    instead_of = "bash mv"

    def effects(self, args: JsonView) -> Effects:
        old, new = str(args["old_path"]), str(args["new_path"])
        return Effects(subject=f"{old} -> {new}", deletes=(old,), writes=(new,))

    async def run(self, args: JsonView, context: ToolContext) -> ToolResult:
        workspace = context.workspace
        old, new = workspace.resolve(str(args["old_path"]), "delete"), workspace.resolve(str(args["new_path"]), "write")
        source, target = Path(old.real), Path(new.real)
        if old.kind == "missing":
            raise ToolFailed(f"There is nothing at {workspace.relative(old.real)}.")
        if new.kind == "dir":
            raise ToolFailed(f"{workspace.relative(new.real)} is a folder. Give the new path with the name.")
        if new.kind != "missing" and not args.get("overwrite"):
            raise ToolFailed(f"{workspace.relative(new.real)} exists. Set overwrite, or choose another name.")
        try:
            await asyncio.to_thread(_move, source, target)
        except OSError as failure:
            raise ToolFailed(f"Not moved: {failure.strerror}.") from failure
        context.ledger.forget(old.real)
        shown = workspace.relative(new.real)
        return ToolResult(text=f"Moved {workspace.relative(old.real)} to {shown}.", details={"path": shown})


def _move(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    source.rename(target)
