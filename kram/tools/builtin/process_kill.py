"""`process_kill`: ends a background process and everything it started."""

from __future__ import annotations

from kram.base import JsonView
from kram.tools.base import BaseTool, schema, text
from kram.tools.context import ToolContext
from kram.tools.process_status import status
from kram.tools.tool import Effects, ToolFailed, ToolResult
from kram.workspace import ProcessProblem


class ProcessKill(BaseTool):
    name = "process_kill"
    summary = "end a background process"
    description = "Ends a background process and everything it started: SIGTERM, and SIGKILL two seconds later."
    parameters = schema(("id",), id=text("The process, e.g. bg1."))
    # It reaches nothing but what an approved run_background or bash started.
    access = "none"

    def effects(self, args: JsonView) -> Effects:
        return Effects(subject=str(args.get("id") or ""))

    async def run(self, args: JsonView, context: ToolContext) -> ToolResult:
        process_id = str(args["id"])
        try:
            before = context.processes.get(process_id)
            info = await context.processes.kill(process_id)
        except ProcessProblem as failure:
            raise ToolFailed(f"{failure}.") from failure
        said = f"killed {process_id}" if before.running else f"{process_id} had already ended: {status(info)}"
        return ToolResult(text=said, details={"process": process_id})
