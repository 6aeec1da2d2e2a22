"""`bash`: one shell command, from start to end."""

from __future__ import annotations

import asyncio
import re
import signal
from pathlib import Path
from typing import Any

from kram.base import JsonView
from kram.base.process_table import Proc
from kram.base.spawn import Child, SpawnFailed, spawn
from kram.tools.base import BaseTool, number, schema, text
from kram.tools.context import ToolContext
from kram.tools.live_output import LiveOutput
from kram.tools.shell_call import command_text, shell_effects, working_directory
from kram.tools.shell_output import shown
from kram.tools.tool import Effects, ToolFailed, ToolResult
from kram.workspace import Capture, ProcessInfo, ProcessProblem

TIMEOUT_S = 30
MAX_TIMEOUT_S = 600
# How long what the shell left running may take to end by itself, before it counts as a background process.
LINGER_S = 0.25
_SHELL_ADDS = 128
_WANTS_PERSON = re.compile(
    r"a terminal is required|no tty present|not a (?:tty|terminal)|could not read (?:Username|Password)|prompts? disabled"
    r"|Inappropriate ioctl|Host key verification failed|Permission denied \(publickey|problem with the editor"
    r"|EOF when reading|EOFError|no askpass|cannot open /dev/tty|/dev/tty: No such",
    re.IGNORECASE,
)


class Bash(BaseTool):
    name = "bash"
    summary = "run a shell command and see its output"
    description = (
        "Runs a command in bash, in the project's folder or in `cwd`; every call starts anew, nothing carries over from the "
        "call before. Output and errors come together, filtered; what is too long goes to an artifact. There is no terminal "
        "and no input: use options that do not ask. For servers and watchers use run_background."
    )
    parameters = schema(
        ("command",),
        command=text("The command."),
        timeout_seconds=number(f"Ended after this time; {TIMEOUT_S} without it.", minimum=1, maximum=MAX_TIMEOUT_S),
        cwd=text("Folder to run in, inside the project."),
        description=text("What it is for, in a few words, for the person who watches."),
    )
    access = "execute"

    def effects(self, args: JsonView) -> Effects:
        return shell_effects(args)

    async def run(self, args: JsonView, context: ToolContext) -> ToolResult:
        command, cwd = command_text(args, context), working_directory(args, context)
        timeout_s = int(args.get("timeout_seconds") or TIMEOUT_S)
        try:
            child = await spawn(command, cwd=cwd)
        except SpawnFailed as failure:
            raise ToolFailed(f"{failure}.") from failure
        capture = Capture(context.artifacts.folder)
        live = LiveOutput(context.progress)
        try:
            timed_out = await _follow(child, capture, live, timeout_s)
            left = None if timed_out else await _left_running(child, command, cwd, context)
            output = await shown(capture, command, context, self.name)
        except BaseException:
            await child.kill_tree()
            child.close()
            raise
        finally:
            live.close()
            capture.discard()
        code = child.returncode or 0
        notes = _notes(code, left, timeout_s if timed_out else 0, _WANTS_PERSON.search(output.text) is not None)
        details: dict[str, Any] = {"exit_code": code, "output_bytes": capture.total_bytes}
        details |= {"timed_out": True} if timed_out else {}
        details |= {"artifact": output.artifact} if output.artifact else {}
        details |= {"hidden_lines": output.hidden_lines} if output.hidden_lines else {}
        details |= {"process": left.id} if isinstance(left, ProcessInfo) else {}
        return ToolResult(text="\n".join([output.text, *notes]), is_error=bool(code) or timed_out, details=details)


async def _follow(child: Child, capture: Capture, live: LiveOutput, timeout_s: float) -> bool:
    """Takes output until the shell has ended, whoever else holds the pipe. True when its time was up; then all are dead."""

    def heard(chunk: bytes) -> None:
        capture.feed(chunk)
        live.feed(chunk)

    child.output.feed_to(heard)
    left: list[Proc] = []
    timed_out = False
    try:
        async with asyncio.timeout(timeout_s):
            left = await child.outlived_by(LINGER_S)
    except TimeoutError:
        timed_out = True
        await child.kill_tree()
    # Nobody is left to write, so this is the rest; with somebody left, what comes now belongs to the background process.
    while not left and (chunk := child.output.read_now()):
        heard(chunk)
    return timed_out


async def _left_running(child: Child, command: str, cwd: Path, context: ToolContext) -> ProcessInfo | str | None:
    """Hands what the shell left running over to the background processes; says why where that can't be."""
    if not child.leftovers():
        child.close()
        return None
    try:
        return context.processes.adopt(command, cwd, child)
    except ProcessProblem as failure:
        await child.kill_tree()
        child.close()
        return f"[what it left running was ended: {failure}]"


def _notes(code: int, left: ProcessInfo | str | None, timeout_s: int, wants_person: bool) -> list[str]:
    notes: list[str] = []
    if timeout_s:
        notes.append(f"[command timed out after {timeout_s}s]")
        notes.append(
            "[everything it started was ended; use run_background for what runs on, or a longer timeout_seconds]"
        )
    elif code < 0:
        notes.append(f"[killed by signal {-code} ({_signal_name(-code)})]")
    elif code > _SHELL_ADDS and _signal_name(code - _SHELL_ADDS):
        notes.append(f"[exit code {code}: a program was killed by {_signal_name(code - _SHELL_ADDS)}]")
    elif code:
        notes.append(f"[exit code {code}]")
    if isinstance(left, ProcessInfo):
        notes.append(f"[still running in the background as {left.id}; see process_output, process_kill]")
    elif left:
        notes.append(left)
    if wants_person and (code or timeout_s):
        notes.append("[it wanted a terminal or an answer and there is none: use options that do not ask]")
    return notes


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return ""
