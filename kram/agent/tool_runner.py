"""Runs the calls of one answer: side by side where all of them only read, else one after the other.

Results are stored and told in call order. Whatever interrupts the run, every call ends with exactly one result.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from kram.base import Data, crash_point
from kram.context import Slots
from kram.events import ToolCallSummary, ToolFinished, ToolProgressed, ToolStarted
from kram.sessions import StoreError
from kram.tools import ToolContext, ToolFailed, ToolResult, encoded, lift_of, pending_text

from .bench import Bench
from .calls import PreparedCall, only_reads
from .entries import result_entry
from .gate import Refusal, permit
from .guards import Exchanged
from .notices import clear_of

EVENT_TEXT_CHARS = 4_000
KEPT_OUTPUT_CHARS = 4_000
LEAST_CHARS = 1_000
"""What is shown of every result, however little room is left."""

log = logging.getLogger(__name__)


class Ran(Data):
    """What came of one call."""

    call: PreparedCall
    result: ToolResult
    duration_ms: int
    denied: bool = False


@dataclass(slots=True)
class Batch:
    """The calls of one answer and what has come of them; `stored` counts the results on record. `room_chars` is what their
    results may put into the window together, -1 for no limit; `given_chars` is what they did."""

    calls: Sequence[PreparedCall]
    slots: Slots = field(default_factory=Slots)
    room_chars: int = -1
    given_chars: int = 0
    ran: list[Ran | None] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    stored: int = 0

    def __post_init__(self) -> None:
        self.ran = [None] * len(self.calls)
        self.outputs = [""] * len(self.calls)

    @property
    def finished(self) -> list[Ran]:
        return [one for one in self.ran if one is not None]


async def run_calls(bench: Bench, batch: Batch) -> None:
    """Fills `batch.ran`. On cancellation the calls without a result get one that says so, then the cancellation passes."""
    try:
        if len(batch.calls) > 1 and only_reads(batch.calls):
            limit = asyncio.Semaphore(bench.limits.parallel_calls)
            async with asyncio.TaskGroup() as group:
                for index in range(len(batch.calls)):
                    group.create_task(_limited(bench, batch, index, limit))
        else:
            for index in range(len(batch.calls)):
                await _run_one(bench, batch, index)
    except BaseExceptionGroup as failures:
        _close_open(bench, batch)
        raise failures.exceptions[0] from failures
    except BaseException:
        _close_open(bench, batch)
        raise


async def _limited(bench: Bench, batch: Batch, index: int, limit: asyncio.Semaphore) -> None:
    async with limit:
        await _run_one(bench, batch, index)


async def _run_one(bench: Bench, batch: Batch, index: int) -> None:
    call = batch.calls[index]
    began_s = bench.clock.monotonic()
    bench.emit(ToolStarted(id=call.written.id, name=call.written.name, arguments=call.arguments, index=index))
    result, denied = await _outcome(bench, batch, index)
    duration_ms = round((bench.clock.monotonic() - began_s) * 1000)
    batch.ran[index] = Ran(call=call, result=result, duration_ms=duration_ms, denied=denied)
    _store_ready(bench, batch)


async def _outcome(bench: Bench, batch: Batch, index: int) -> tuple[ToolResult, bool]:
    call = batch.calls[index]
    if call.problem or call.tool is None:
        return ToolResult(text=call.problem, is_error=True), False
    context = _context(bench, batch, index)
    permission = await permit(bench, call.tool, call.arguments, context)
    if isinstance(permission, Refusal):
        verdict = "denied" if permission.denied else ""
        return ToolResult(text=permission.text, is_error=True, details={"verdict": verdict}), permission.denied
    context = _context(bench, batch, index, run_command=permission.command)
    try:
        crash_point("tool:before")
        result = await call.tool.run(permission.arguments, context)
        crash_point("tool:after")
    except ToolFailed as failure:
        result = ToolResult(text=str(failure), is_error=True)
    except StoreError:
        raise
    except Exception as failure:
        log.exception("tool %s failed", call.written.name)
        result = ToolResult(text=f"The tool failed unexpectedly: {type(failure).__name__}: {failure}", is_error=True)
    if permission.edited:
        note = "The person changed this call before approving it; it ran with their arguments.\n"
        details = {**result.details, "edited_arguments": dict(permission.arguments)}
        result = ToolResult(text=note + result.text, is_error=result.is_error, images=result.images, details=details)
    return result, False


def _context(bench: Bench, batch: Batch, index: int, *, run_command: str = "") -> ToolContext:
    call_id = batch.calls[index].written.id

    def progress(output: str) -> None:
        batch.outputs[index] = (batch.outputs[index] + output)[-KEPT_OUTPUT_CHARS:]
        bench.emit(ToolProgressed(id=call_id, output=output))

    return ToolContext(
        session_id=bench.record.session_id,
        call_id=call_id,
        workspace=bench.workspace,
        ledger=bench.ledger,
        processes=bench.processes,
        artifacts=bench.artifacts,
        todos=bench.todos,
        recall=bench.recall,
        skills=bench.skills,
        user=bench.user,
        emit=bench.emit,
        clock=bench.clock,
        progress=progress,
        run_command=run_command,
    )


def _store_ready(bench: Bench, batch: Batch) -> None:
    """Stores and tells every result whose turn it is; later ones wait for the earlier ones."""
    while batch.stored < len(batch.ran):
        ran = batch.ran[batch.stored]
        if ran is None:
            return
        _store(bench, ran, batch)
        batch.stored += 1


def _store(bench: Bench, ran: Ran, batch: Batch) -> None:
    """The raw result can be quoted; what the model reads, and what is stored, is encoded. A promise of a later result is told
    as one, and what the turn has no room for is kept whole beside the session."""
    result = ran.result
    text = bench.redactor.redact(result.text)
    if not result.is_error:
        batch.slots.capture(text)
        lift = lift_of(text)
        if clear := clear_of(text):
            bench.inbox.notices.clear(clear.group, clear.key)
        text = encoded(text, bench.encoding) if lift is None else pending_text(lift, ran.call.written.id)
    text = _within_room(bench, ran, batch, text)
    details: dict[str, Any] = {**result.details, "duration_ms": ran.duration_ms}
    written = ran.call.written
    bench.record.append(result_entry(written, text, is_error=result.is_error, details=details, parts=result.images))
    crash_point("tool:stored")
    bench.emit(
        ToolFinished(
            id=written.id,
            name=written.name,
            ok=not result.is_error,
            text=text[:EVENT_TEXT_CHARS],
            truncated=len(text) > EVENT_TEXT_CHARS,
            length=len(text),
            duration_ms=ran.duration_ms,
            details=details,
        )
    )


def _within_room(bench: Bench, ran: Ran, batch: Batch, text: str) -> str:
    """The text, or its beginning and where the whole is, once the turn's room for output is used up."""
    left = batch.room_chars - batch.given_chars
    if batch.room_chars >= 0 and len(text) > max(left, LEAST_CHARS):
        written = ran.call.written
        try:
            name = bench.artifacts.put(
                text.encode("utf-8", "surrogatepass"),
                session_id=bench.record.session_id,
                call_id=written.id,
                tool=written.name,
            )
            rest = f"The whole result, {len(text)} characters, is kept: read on with artifact_read, id {name}."
        except OSError as failure:
            rest = f"The whole result had {len(text)} characters and could not be kept: {failure.strerror}."
        text = f"{text[: max(left, LEAST_CHARS)]}\n[This turn has no room left for more output. {rest}]"
    batch.given_chars += len(text)
    return text


def _close_open(bench: Bench, batch: Batch) -> None:
    """Gives every call that is still open its one result."""
    for index in range(batch.stored, len(batch.calls)):
        ran = batch.ran[index]
        if ran is None:
            output = batch.outputs[index]
            text = "Interrupted before it finished; what it did until then stands."
            if output:
                text += f"\nOutput until then:\n{output}"
            result = ToolResult(text=text, is_error=True, details={"status": "interrupted"})
            ran = batch.ran[index] = Ran(call=batch.calls[index], result=result, duration_ms=0)
        _store(bench, ran, batch)
        batch.stored += 1


def summaries(batch: Batch) -> list[ToolCallSummary]:
    return [
        ToolCallSummary(name=ran.call.written.name, ok=not ran.result.is_error, duration_ms=ran.duration_ms)
        for ran in batch.finished
    ]


def exchanges(batch: Batch) -> list[Exchanged]:
    """The round as the repetition guard sees it."""
    return [
        Exchanged(
            tool=ran.call.written.name,
            arguments=ran.call.written.arguments,
            result=ran.result.text,
            is_error=ran.result.is_error,
            still_running=bool(ran.result.details.get("still_running")),
        )
        for ran in batch.finished
    ]
