"""`process_write`: input for a background process."""

from __future__ import annotations

import asyncio

from kram.base import JsonView, one_line
from kram.tools.base import BaseTool, flag, schema, text
from kram.tools.context import ToolContext
from kram.tools.tool import Effects, ToolFailed, ToolResult
from kram.workspace import ProcessProblem

SUBJECT_CHARS = 200
TIMEOUT_S = 10.0


class ProcessWrite(BaseTool):
    name = "process_write"
    summary = "give a background process input"
    description = (
        "Writes a line to the standard input of a background process. There is no terminal: programs that insist on one do "
        "not read it. See what comes of it with process_output."
    )
    parameters = schema(
        ("id", "input"),
        id=text("The process, e.g. bg1."),
        input=text("The text; a newline is added unless `raw` is set."),
        raw=flag("Write the text exactly as it is."),
        close=flag("End its input after this."),
    )
    access = "execute"

    def effects(self, args: JsonView) -> Effects:
        said = one_line(str(args.get("input") or ""), SUBJECT_CHARS)
        return Effects(subject=f"{args.get('id')}: {said}")

    async def run(self, args: JsonView, context: ToolContext) -> ToolResult:
        process_id, said = str(args["id"]), str(args["input"])
        if not args.get("raw") and not said.endswith("\n"):
            said += "\n"
        try:
            async with asyncio.timeout(TIMEOUT_S):
                await context.processes.write(process_id, said, close=bool(args.get("close")))
        except ProcessProblem as failure:
            raise ToolFailed(f"{failure}.") from failure
        except TimeoutError as failure:
            raise ToolFailed(
                f"{process_id} does not read its input; part of the text may have been taken."
            ) from failure
        return ToolResult(text=f"wrote {len(said)} characters to {process_id}", details={"process": process_id})
