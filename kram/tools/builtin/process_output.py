"""`process_output`: what a background process has said, and waiting for what it will say."""

from __future__ import annotations

from kram.base import JsonView, head_tail, visible
from kram.tools.base import BaseTool, flag, number, schema, text
from kram.tools.context import ToolContext
from kram.tools.process_status import status_line
from kram.tools.tool import Effects, ToolFailed, ToolResult
from kram.workspace import BadPattern, OutputSlice, ProcessProblem, Waited, filter_output

TIMEOUT_S = 30
MAX_TIMEOUT_S = 600
MAX_CHARS = 30_000


class ProcessOutput(BaseTool):
    name = "process_output"
    summary = "read a background process's output, or wait for a line of it"
    description = (
        "The output of a background process and whether it still runs. With `wait_for` it waits until a line matches, the "
        "process ends or the time is up; with `wait_for` empty it waits for the end. With `cursor`, a number an earlier "
        "call gave, only what came after it."
    )
    parameters = schema(
        ("id",),
        id=text("The process, e.g. bg1."),
        wait_for=text("Regular expression a line has to match, e.g. `listening on`."),
        timeout_seconds=number(f"How long to wait at most; {TIMEOUT_S} without it.", minimum=1, maximum=MAX_TIMEOUT_S),
        cursor=number("Where to read on from.", minimum=0),
        ignore_case=flag("Upper and lower case are the same in wait_for."),
    )
    parallel = True

    def effects(self, args: JsonView) -> Effects:
        return Effects(subject=str(args.get("id") or ""))

    async def run(self, args: JsonView, context: ToolContext) -> ToolResult:
        process_id = str(args["id"])
        cursor = None if args.get("cursor") is None else int(args["cursor"])
        try:
            waited = await _wait(process_id, cursor or 0, args, context)
            output = context.processes.output(process_id, cursor)
        except (ProcessProblem, BadPattern) as failure:
            raise ToolFailed(f"{failure}.") from failure
        text = head_tail(filter_output(output.text, output.info.command).text, MAX_CHARS)
        details = {
            "process": process_id,
            "still_running": output.info.running,
            "cursor": output.next_cursor,
            "exit_code": output.info.exit_code,
        }
        return ToolResult(text="\n".join([text or "(no output)", *_notes(output, waited)]), details=details)


async def _wait(process_id: str, cursor: int, args: JsonView, context: ToolContext) -> Waited | None:
    pattern = args.get("wait_for")
    if pattern is None:
        return None
    timeout_s = int(args.get("timeout_seconds") or TIMEOUT_S)
    return await context.processes.wait(
        process_id, str(pattern), timeout_s, cursor=cursor, ignore_case=bool(args.get("ignore_case"))
    )


def _notes(output: OutputSlice, waited: Waited | None) -> list[str]:
    notes: list[str] = []
    if output.lost:
        notes.append("[its beginning is not shown: it is too long or no longer kept]")
    if waited and waited.outcome == "matched":
        notes.append(f"[matched: {visible(waited.line, keep_newlines=False)}]")
    elif waited and waited.outcome == "timeout":
        notes.append("[the time is up and nothing matched]")
    elif waited:
        notes.append("[it ended]")
    more = ", more lies ready" if output.more else ""
    return [*notes, status_line(output.info), f"[next cursor {output.next_cursor}{more}]"]
