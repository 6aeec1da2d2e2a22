"""kram turns in forked processes: kram is imported once, every turn has a process of its own that can be killed.

A process per test run would spend its time importing; a fork of a single-threaded parent is a real process all the same.
"""

from __future__ import annotations

import asyncio
import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from kram import events
from kram.events import ApprovalAnswer, ApprovalRequest, Stamped
from kram.runtime import Options, Runtime


class Yes:
    """Agrees to everything at once."""

    async def approve(self, request_id: str, request: ApprovalRequest) -> ApprovalAnswer:
        return ApprovalAnswer(decision="once")

    async def ask(self, question_id: str, question: str, options: tuple[str, ...]) -> str | None:
        return "yes"


async def play(folder: Path, script: Path, turns: int, say: Callable[[dict[str, object]], None]) -> None:
    """Runs turns in the workspace's session and says every result and answer once it was told."""
    runtime = await Runtime.open(
        folder / "ws", Options(script=str(script)), user=Yes(), env={"KRAM_HOME": str(folder / "home")}
    )

    def heard(stamped: Stamped) -> None:
        match stamped.event:
            case events.ToolFinished() as done:
                say({"result": done.id, "text": done.text})
            case events.AssistantSaid() as said:
                say({"said": said.text})
            case events.TextDelta() as delta:
                say({"delta": delta.text})
            case _:
                pass

    runtime.subscribe(heard)
    for number in range(turns):
        await runtime.send(f"please do it, {number}")
        await runtime.compact()
    await runtime.close()
    say({"end": True})


class Told:
    """What a forked process said before it ended, and how it ended."""

    def __init__(self, lines: list[dict[str, object]], killed: bool) -> None:
        self.lines = lines
        self.killed = killed

    def results(self) -> dict[str, str]:
        return {str(line["result"]): str(line["text"]) for line in self.lines if "result" in line}

    def said(self) -> list[str]:
        return [str(line["said"]) for line in self.lines if "said" in line]


def forked_turns(
    folder: Path,
    script: Path,
    *,
    turns: int = 1,
    kill_after: int | None = None,
    crash_point: str = "",
    pause_s: float = 0.0,
) -> Told:
    """Forks, runs, and kills with SIGKILL after so many lines (and a pause), or where a named point says so."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        _child(folder, script, turns, writing, crash_point)
    os.close(writing)
    lines: list[dict[str, object]] = []
    rest = b""
    end = time.monotonic() + 60
    killed = False
    while time.monotonic() < end:
        if not select.select([reading], [], [], 1.0)[0]:
            continue
        data = os.read(reading, 65536)
        if not data:
            break
        *whole, rest = (rest + data).split(b"\n")
        lines += [json.loads(line) for line in whole]
        if kill_after is not None and len(lines) >= kill_after and not killed:
            select.select([], [], [], pause_s)
            os.kill(pid, signal.SIGKILL)
            killed = True
    else:
        os.kill(pid, signal.SIGKILL)
        raise AssertionError("the turn did not end")
    os.close(reading)
    _, status = os.waitpid(pid, 0)
    return Told(lines, killed=os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL)


def _child(folder: Path, script: Path, turns: int, writing: int, crash_point: str) -> None:
    """Never returns. The test runner's own state is left alone: the process ends without its clean-up."""
    code = 1
    try:
        os.setsid()
        if crash_point:
            os.environ["KRAM_CRASHPOINT"] = crash_point

        def say(line: dict[str, object]) -> None:
            os.write(writing, json.dumps(line).encode() + b"\n")

        asyncio.run(play(folder, script, turns, say))
        code = 0
    except BaseException as failure:
        os.write(2, f"{type(failure).__name__}: {failure}\n".encode())
    finally:
        sys.stdout.flush()
        os._exit(code)
