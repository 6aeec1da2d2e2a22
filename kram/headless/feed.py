"""`--input-format stream-json`: a program talks to a running session, one JSON object a line on stdin.

    {"type":"user","text":…}  {"type":"steer","text":…}  {"type":"interrupt"}
    {"type":"answer","id":…,"text":…}  {"type":"approve","id":…,"decision":"once|always|deny","note":…}

A line that cannot be used is told as a notice and changes nothing. The end of stdin ends the run after the last turn.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import msgspec

from kram.base import KramError
from kram.events import ApprovalAnswer, Notice, TurnResult
from kram.runtime import Runtime

from .notes import tell_notes
from .printer import Printer


class UserLine(msgspec.Struct, tag="user"):
    text: str


class SteerLine(msgspec.Struct, tag="steer"):
    text: str


class AnswerLine(msgspec.Struct, tag="answer"):
    id: str
    text: str


class ApproveLine(msgspec.Struct, tag="approve"):
    id: str
    decision: str
    note: str = ""


class InterruptLine(msgspec.Struct, tag="interrupt"):
    pass


_decoder = msgspec.json.Decoder(UserLine | SteerLine | AnswerLine | ApproveLine | InterruptLine)


async def run_feed(runtime: Runtime, lines: AsyncIterator[bytes], printer: Printer, *, prompt: str = "") -> int:
    """Serves lines until they end; returns the exit code of the last turn (0 without one)."""
    runtime.subscribe(printer.event)
    printer.session(runtime)
    await tell_notes(runtime)
    turns: asyncio.Queue[str | None] = asyncio.Queue()
    if prompt:
        turns.put_nowait(prompt)
    async with asyncio.TaskGroup() as group:
        worker = group.create_task(_run_turns(runtime, turns, printer))
        async for line in lines:
            if line.strip():
                _take(runtime, line, turns)
        turns.put_nowait(None)
    return worker.result()


async def _run_turns(runtime: Runtime, turns: asyncio.Queue[str | None], printer: Printer) -> int:
    last: TurnResult | None = None
    while (text := await turns.get()) is not None:
        last = await runtime.send(text)
        printer.result(last)
    return last.exit_code if last else 0


def _take(runtime: Runtime, line: bytes, turns: asyncio.Queue[str | None]) -> None:
    try:
        said = _decoder.decode(line)
        match said:
            case UserLine():
                turns.put_nowait(said.text)
            case SteerLine():
                runtime.steer(said.text)
            case AnswerLine():
                runtime.answer(said.id, said.text)
            case ApproveLine():
                runtime.approve(
                    said.id, msgspec.convert({"decision": said.decision, "note": said.note}, ApprovalAnswer)
                )
            case InterruptLine():
                runtime.interrupt()
    except (msgspec.MsgspecError, KramError) as failure:
        runtime.emit(Notice(text=f"A line on stdin was not used: {failure}", level="warning"))
