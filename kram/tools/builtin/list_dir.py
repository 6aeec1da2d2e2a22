"""`list_dir`: one folder, folders first marked with `/`, files with their size."""

from __future__ import annotations

import os
from pathlib import Path

from kram.base import JsonView, one_line
from kram.tools.base import BaseTool, schema, text
from kram.tools.context import ToolContext
from kram.tools.tool import Effects, ToolFailed, ToolResult

MAX_ENTRIES = 1_000
NAME_CHARS = 300


class ListDir(BaseTool):
    name = "list_dir"
    summary = "list one folder"
    description = "Lists a folder: subfolders end in `/`, files have their size in bytes."
    parameters = schema(path=text("Folder, relative to the project; the project itself without one."))
    parallel = True
    instead_of = "bash ls"

    def effects(self, args: JsonView) -> Effects:
        path = str(args.get("path") or ".")
        return Effects(subject=path, reads=(path,))

    async def run(self, args: JsonView, context: ToolContext) -> ToolResult:
        target = context.workspace.resolve(str(args.get("path") or "."), "read")
        shown = context.workspace.relative(target.real)
        if target.kind == "missing":
            raise ToolFailed(f"There is no folder {shown}.")
        if target.kind != "dir":
            raise ToolFailed(f"{shown} is no folder. Use read_file.")
        try:
            entries = sorted(os.scandir(Path(target.real)), key=lambda entry: (not _is_dir(entry), entry.name))
        except OSError as failure:
            raise ToolFailed(f"{shown} cannot be listed: {failure.strerror}.") from failure
        rows = [_row(entry) for entry in entries[:MAX_ENTRIES]]
        if len(entries) > MAX_ENTRIES:
            rows.append(f"[{len(entries) - MAX_ENTRIES} more; narrow it down with glob]")
        return ToolResult(text="\n".join(rows) or "(empty folder)", details={"path": shown, "count": len(entries)})


def _is_dir(entry: os.DirEntry[str]) -> bool:
    return entry.is_dir(follow_symlinks=False)


def _row(entry: os.DirEntry[str]) -> str:
    name = one_line(entry.name, NAME_CHARS)
    try:
        if entry.is_symlink():
            return f"{name} -> {one_line(str(Path(entry.path).readlink()), NAME_CHARS)}"
        return f"{name}/" if entry.is_dir() else f"{name}  {entry.stat().st_size}"
    except OSError:
        return name
