"""`process_list`: the background processes."""

from __future__ import annotations

from kram.base import JsonView, one_line
from kram.tools.base import BaseTool, schema
from kram.tools.context import ToolContext
from kram.tools.process_status import status
from kram.tools.tool import ToolResult

COMMAND_CHARS = 200


class ProcessList(BaseTool):
    name = "process_list"
    summary = "list the background processes"
    description = "The background processes, running and lately ended: id, state, command, how much they have said."
    parameters = schema()
    parallel = True

    async def run(self, args: JsonView, context: ToolContext) -> ToolResult:
        rows = [
            f"{info.id}  {status(info)}  {one_line(info.command, COMMAND_CHARS)}  ({info.total_bytes} bytes of output)"
            for info in context.processes.list()
        ]
        return ToolResult(text="\n".join(rows) or "(no background processes)", details={"count": len(rows)})
