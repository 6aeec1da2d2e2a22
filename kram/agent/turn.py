"""One turn: the person's words, then step after step until the model answers without calls or a limit lands it.

    store the person's entry -> [ round -> step -> (no calls: guards judge, end) | calls run -> guards ] …

A turn ends in exactly one way, and the history it leaves is valid whatever stopped it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, assert_never

import msgspec

from kram.base import KramError, crash_point
from kram.context import BUDGET_NEAR, JOINED, SOFT_LANDING, Slots
from kram.events import (
    AssistantSaid,
    Notice,
    SegmentStarted,
    ToolCallSummary,
    TurnFinished,
    TurnResult,
    TurnStarted,
    UsageChanged,
)
from kram.messages import ImageBlock, Kind, Usage, entry
from kram.sessions import StoreError

from .bench import Bench
from .calls import prepare_calls
from .entries import answer_entries, shown_with, without_calls
from .framing import lead_model
from .guards import OK, GuardResult, NoticeModel, Ok, Reprompt, Round, RoundGuard, Stop
from .judging import Judge
from .limits import Tally
from .step import Answer, Broken, claim_injected, claim_steering, run_step
from .tool_runner import Batch, exchanges, run_calls, summaries

LANDING_S = 20.0
"""What a turn whose time is up still has for its last answer, in seconds."""

Subtype: TypeAlias = Literal["success", "error", "budget", "denied", "interrupted"]


@dataclass(slots=True)
class Turn:
    """One use only. `run` returns the result; when cancelled it leaves a valid history and lets the cancellation pass,
    and `interrupted_result` then tells how far it came."""

    bench: Bench
    messages: Sequence[str]
    images: Sequence[ImageBlock] = ()
    session_usage: Usage = field(default_factory=Usage)
    tally: Tally = field(init=False)
    calls: list[ToolCallSummary] = field(default_factory=list)
    answer: str = ""
    denied_last: bool = False
    slots: Slots = field(default_factory=Slots)

    def __post_init__(self) -> None:
        self.tally = Tally(self.bench.clock.monotonic())

    async def run(self) -> TurnResult:
        """Raises nothing but `CancelledError`: every failure is a result."""
        session = self.bench.record.session_id
        with self.bench.tracer.span("Turn", session_id=session, thread_id=session) as span:
            result = await self._guarded()
            span.set(n_tool_calls=len(self.calls), response_chars=len(result.text), outcome=result.subtype)
            span.set(tokens_in=result.usage.input, tokens_out=result.usage.output, model_calls=result.model_calls)
            if result.error is not None:
                span.failed(result.error)
        return result

    async def _guarded(self) -> TurnResult:
        try:
            result = await self._run()
        except StoreError as failure:
            result = self._failed(failure)
        except (KramError, Broken) as failure:
            result = self._failed(failure)
            self.bench.record.append(entry(Kind.NOTIFICATION, str(failure), tag="error"))
        except BaseException:
            self._note_interruption()
            raise
        crash_point("turn:ended")
        self.bench.emit(TurnFinished(result=result))
        return result

    def interrupted_result(self) -> TurnResult:
        """The result of a turn that was cancelled; announces it."""
        result = self._result("interrupted", exit_code=130, error="Stopped before it was done")
        self.bench.emit(TurnFinished(result=result))
        return result

    # --- the loop -----------------------------------------------------------------------------------------------

    async def _run(self) -> TurnResult:
        bench = self.bench
        bench.prompt.start_run()
        said = [entry(Kind.USER, text, details={JOINED: True} if at else {}) for at, text in enumerate(self.messages)]
        said[-1] = msgspec.structs.replace(said[-1], parts=tuple(self.images))
        self.tally.turn = said[0].id
        for stored in bench.record.append(*said):
            bench.emit(TurnStarted(entry=stored))
        crash_point("turn:begun")
        if not lead_model(bench, bench.combo()).compact:
            for news in bench.prompt.instructions.news():
                bench.emit(Notice(text=news))
        rounds = RoundGuard(bench.limits)
        # A small model that is asked to go on goes on for ever.
        judge = Judge(0 if lead_model(bench, bench.combo()).compact else None)
        reminders = [("whisper", text) for text in bench.inbox.claim_whispers()]
        while (round_ := rounds.next(self.tally, bench.clock.monotonic())) is not None:
            try:
                async with asyncio.timeout(self._seconds_left(final=round_.final)):
                    answer = await self._step(round_, reminders)
            except TimeoutError:
                # What had come is stored as interrupted; the next round is the last one.
                continue
            reminders = []
            batch = self._store_answer(answer, final=round_.final)
            if round_.final:
                return self._out_of_budget()
            try:
                verdict = await self._judged(judge, answer, batch)
            except TimeoutError:
                continue
            match verdict:
                case None:
                    return self._ended()
                case Ok():
                    pass
                case NoticeModel():
                    bench.record.append(entry(Kind.NOTIFICATION, verdict.text, tag=verdict.tag))
                case Reprompt():
                    reminders = [("again", verdict.text)]
                case Stop():
                    if not await judge.goes_on(verdict, bench.user):
                        bench.emit(Notice(text=f"{verdict.reason}. Say “go on” to let it continue.", level="warning"))
                        return self._result("error", exit_code=1, error=verdict.reason)
                case _:
                    assert_never(verdict)
        return self._out_of_budget()

    async def _judged(self, judge: Judge, answer: Answer, batch: Batch | None) -> GuardResult | None:
        """Runs the calls of an answer, if it has any, and says what follows; None where the turn is at its end.
        Raises `TimeoutError` when its time is up."""
        bench = self.bench
        if answer.repeated is not None:
            return judge.cut(answer.repeated)
        if batch is None:
            if claim_injected(bench):
                return OK
            verdict = judge.answer(answer.whole, answer.problem)
            done = isinstance(verdict, Ok) and not claim_steering(bench)
            return None if done else verdict
        judge.began_calls()
        async with asyncio.timeout(self._seconds_left()):
            await self._run_batch(batch)
        if any(ran.result.ends_turn for ran in batch.finished):
            return None
        return judge.round(exchanges(batch))

    def _out_of_budget(self) -> TurnResult:
        limits = self.bench.limits
        if not limits.strict:
            return self._result("budget", exit_code=1, error="A budget of this turn was reached")
        error = f"The turn went past its {limits.max_calls} model calls"
        if limits.terminal_tool and all(call.name != limits.terminal_tool for call in self.calls):
            error += f" and never called {limits.terminal_tool}; a provider may ignore tool_choice"
        return self._result("budget", exit_code=1, error=error)

    def _seconds_left(self, *, final: bool = False) -> float | None:
        """Until the turn's time is up; the landing gets a little of its own. None without a limit."""
        allowed = self.bench.limits.max_seconds
        if allowed <= 0:
            return None
        spent = self.bench.clock.monotonic() - self.tally.began_s
        return max(0.0, allowed - spent) + (LANDING_S if final else 0.0)

    async def _step(self, round_: Round, reminders: Sequence[tuple[str, str]]) -> Answer:
        bench = self.bench
        if round_.segment:
            bench.emit(SegmentStarted(number=round_.segment, of=bench.limits.segments))
        reminders = list(reminders)
        if round_.final:
            reminders.append(("turn-budget-soft-landing", SOFT_LANDING))
        elif round_.near:
            reminders.append(("budget-near", BUDGET_NEAR))
        answer = await run_step(bench, self.tally, final=round_.final, reminders=reminders)
        bench.emit(UsageChanged(turn=self.tally.usage, session=self.session_usage + self.tally.usage))
        return answer

    def _store_answer(self, answer: Answer, *, final: bool) -> Batch | None:
        """Stores the answer with its calls, before anything runs. On the final round calls are dropped, not run."""
        bench = self.bench
        taken = bench.record.call_ids()
        prepared = [] if final else prepare_calls(answer.completion, bench.registry, taken)
        completion = answer.completion if not final else without_calls(answer.completion)
        entries = answer_entries(
            completion,
            [call.written for call in prepared],
            entry_id=answer.entry_id,
            model=answer.model,
            route=answer.route,
        )
        if bench.transclusion:
            entries = [shown_with(one, self.slots) for one in entries]
        stored = [one for one in entries if one.content or one.parts or one.kind == Kind.TOOL_CALL]
        bench.record.append(*stored)
        crash_point("turn:answered")
        text = answer.kept + "".join(one.content for one in entries if one.kind == Kind.ASSISTANT)
        if text.strip() or not prepared:
            self.answer = text = self.slots.fill(text) if bench.transclusion else text
            bench.emit(AssistantSaid(text=text, model=answer.model, interim=bool(prepared), entry_id=answer.entry_id))
        room = max(0, min(bench.limits.output_chars - self.tally.output_chars, self.tally.room_chars))
        return Batch(prepared, self.slots, room) if prepared else None

    async def _run_batch(self, batch: Batch) -> None:
        try:
            await run_calls(self.bench, batch)
        finally:
            self.tally.output_chars += batch.given_chars
            self.calls += summaries(batch)
            for ran in batch.finished:
                self.denied_last = ran.denied or (self.denied_last and ran.result.is_error)

    # --- the end ------------------------------------------------------------------------------------------------

    def _ended(self) -> TurnResult:
        if self.denied_last:
            return self._result("denied", exit_code=3, error="A needed permission was denied")
        return self._result("success", exit_code=0)

    def _failed(self, failure: Exception) -> TurnResult:
        code = failure.exit_code if isinstance(failure, KramError) else 1
        return self._result("error", exit_code=code, error=str(failure))

    def _note_interruption(self) -> None:
        """Tells the next turn's model that this one was stopped."""
        self.bench.record.append(entry(Kind.NOTIFICATION, "The person stopped the turn here.", tag="interrupted"))

    def _result(self, subtype: Subtype, *, exit_code: int, error: str | None = None) -> TurnResult:
        elapsed_ms = round((self.bench.clock.monotonic() - self.tally.began_s) * 1000)
        return TurnResult(
            subtype=subtype,
            session_id=self.bench.record.session_id,
            text=self.answer,
            usage=self.tally.usage,
            model_calls=self.tally.model_calls,
            tool_calls=tuple(self.calls),
            compactions=self.tally.compactions,
            duration_ms=elapsed_ms,
            route=tuple(self.tally.routes),
            error=error,
            exit_code=exit_code,
        )
