"""What `bash` and `run_background` have in common: the text that runs, where it runs, and how either can be wrong."""

from __future__ import annotations

from pathlib import Path

from kram.base import JsonView
from kram.tools.context import ToolContext
from kram.tools.tool import Effects, ToolFailed

MAX_COMMAND_BYTES = 100_000


def shell_effects(args: JsonView) -> Effects:
    command = str(args.get("command") or "")
    return Effects(subject=command, command=command, cwd=str(args.get("cwd") or ""))


def command_text(args: JsonView, context: ToolContext) -> str:
    """The text to run: what was judged or approved, which is not always what the model wrote. Raises `ToolFailed`."""
    command = context.run_command or str(args["command"])
    if not command.strip():
        raise ToolFailed("The command is empty.")
    if "\0" in command:
        raise ToolFailed("The command holds a NUL character. Write it as an escape, e.g. printf '\\0'.")
    size = len(command.encode("utf-8", "replace"))
    if size > MAX_COMMAND_BYTES:
        raise ToolFailed(
            f"The command is {size} bytes long, at most {MAX_COMMAND_BYTES} can be run. Write the text to a file and use that."
        )
    return command


def working_directory(args: JsonView, context: ToolContext) -> Path:
    """Where it runs: the project, or a folder in it. Raises `ToolFailed`."""
    given = str(args.get("cwd") or "")
    workspace = context.workspace
    if not given:
        if not workspace.root.is_dir():
            raise ToolFailed(f"The project folder {workspace.root} is gone.")
        return workspace.root
    target = workspace.resolve(given, "read")
    if not target.inside:
        raise ToolFailed(f"cwd {given} lies outside the project. Use a folder inside it.")
    if target.kind != "dir":
        raise ToolFailed(f"cwd {workspace.relative(target.real)} is no folder.")
    return Path(target.real)
