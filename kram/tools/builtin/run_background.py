"""`run_background`: a program that runs beside the conversation."""

from __future__ import annotations

from kram.base import JsonView, one_line
from kram.base.spawn import SpawnFailed
from kram.tools.base import BaseTool, schema, text
from kram.tools.context import ToolContext
from kram.tools.shell_call import command_text, shell_effects, working_directory
from kram.tools.tool import Effects, ToolFailed, ToolResult
from kram.workspace import ProcessProblem

COMMAND_CHARS = 200


class RunBackground(BaseTool):
    name = "run_background"
    summary = "start a server, watcher or long job and go on"
    description = (
        "Starts a command in bash and returns at once with its id. Read its output and wait for a line of it with "
        "process_output, give it input with process_write, end it with process_kill. It ends when kram does."
    )
    parameters = schema(
        ("command",),
        command=text("The command, without `&`."),
        cwd=text("Folder to run in, inside the project."),
        description=text("What it is for, in a few words, for the person who watches."),
    )
    access = "execute"
    instead_of = "bash with & or nohup"

    def effects(self, args: JsonView) -> Effects:
        return shell_effects(args)

    async def run(self, args: JsonView, context: ToolContext) -> ToolResult:
        command, cwd = command_text(args, context), working_directory(args, context)
        try:
            info = await context.processes.start(command, cwd)
        except (SpawnFailed, ProcessProblem) as failure:
            raise ToolFailed(f"{failure}.") from failure
        return ToolResult(
            text=f"started {info.id} (pid {info.pid}): {one_line(command, COMMAND_CHARS)}",
            details={"process": info.id, "pid": info.pid},
        )
