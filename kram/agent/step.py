"""One model call: what is sent, what streams back, what becomes durable.

steering claimed -> prompt -> plan -> view (compacting where due) -> request -> stream -> entries
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing

import msgspec

from kram.base import Data, crash_point, new_id
from kram.config import Combo
from kram.context import View, reminder
from kram.events import ContextMeasured
from kram.gateway import AllFailed, Call
from kram.messages import (
    Completion,
    CompletionRequest,
    Kind,
    Message,
    Route,
    TextBlock,
    entry,
)
from kram.providers import ProviderError

from .bench import Bench
from .calls import with_text_calls
from .entries import cut_short, interrupted_entry
from .fitting import fit, fit_after_refusal, full, refusal_cause
from .framing import Frame, lead_model, report
from .guards import Repeated
from .limits import Tally
from .observer import RouteTeller
from .watch import StreamWatch
from .weighing import weigh

UNSENT = ("response_reserve", "free")
"""Rows of a context report that are room, not text."""


class Answer(Data):
    """A finished model call. `entry_id` is the id its assistant entry will have; `problem` a text call that was not run."""

    completion: Completion
    route: Route
    model: str
    entry_id: str
    problem: str = ""
    repeated: Repeated | None = None


class Broken(Exception):
    """The stream failed after it had begun; what came is stored as interrupted. The cause is `__cause__`."""


async def run_step(bench: Bench, tally: Tally, *, final: bool, reminders: Sequence[tuple[str, str]]) -> Answer:
    """Makes one model call. Raises gateway and store errors, and `Broken` for a stream that failed midway."""
    claim_steering(bench)
    combo = bench.combo()
    if not lead_model(bench, combo).compact:
        due = await bench.reminding.due(bench.record.entries, bench.todos.get(), bench.policy().mode)
        reminders = [*reminders, *due]
    around, view = await fit(bench, tally, combo, reminders)
    try:
        return await _call(bench, tally, combo, around, view, final=final)
    except AllFailed as failure:
        if not failure.overflow:
            raise
        around, view = await fit_after_refusal(bench, tally, combo, reminders, refused=around, view=view)
    try:
        return await _call(bench, tally, combo, around, view, final=final)
    except AllFailed as failure:
        if not failure.overflow:
            raise
        raise full(around, view, refusal_cause(failure)) from failure


def claim_steering(bench: Bench) -> int:
    """Stores what the person said in between; it is part of the next request."""
    claimed = bench.inbox.claim("steer")
    bench.record.append(*(entry(Kind.USER, item.text, entry_id=item.id, details={"steer": True}) for item in claimed))
    return len(claimed)


async def _call(bench: Bench, tally: Tally, combo: Combo, around: Frame, view: View, *, final: bool) -> Answer:
    measured = report(bench, around, view)
    bench.emit(ContextMeasured(report=measured))
    request = build_request(view, around, final=final, trace_id=bench.record.session_id)
    call = bench.gateway.call(
        request,
        combo,
        turn=tally.turn,
        sent={item.category: item.tokens for item in measured.items if item.category not in UNSENT},
        prompt_tokens=view.tokens + around.plan.fixed,
        observer=RouteTeller(bench, tally),
    )
    tally.model_calls += 1
    answer = await _stream(bench, call)
    weigh(bench, request, answer.completion, answer.model)
    if final or answer.repeated or "no-text-calls" in around.model.quirks:
        return answer
    completion, problem = with_text_calls(answer.completion, around.tools)
    # A small model that is told about its mistake makes it again and again; its text is shown as it is.
    problem = "" if around.model.compact else problem
    return msgspec.structs.replace(answer, completion=completion, problem=problem)


def build_request(view: View, around: Frame, *, final: bool, trace_id: str) -> CompletionRequest:
    """On the final round the tools stay (histories with calls need their definitions) but may not be chosen."""
    return CompletionRequest(
        system=around.prompt.system,
        dynamic_boundary=around.prompt.dynamic_boundary,
        messages=_with_reminders(view.messages, around.prompt.post_history),
        tools=around.tools,
        tool_choice="none" if final and around.tools else "",
        # A small model may never find its end by itself; others are left to their own limits.
        max_tokens=around.model.max_output if around.model.compact else 0,
        thinking=around.model.thinking,
        reasoning_effort=around.model.reasoning_effort,
        trace_id=trace_id,
    )


def _with_reminders(messages: tuple[Message, ...], reminders: tuple[str, ...]) -> tuple[Message, ...]:
    """Post-history parts ride on the last user message, so that roles keep alternating."""
    if not reminders:
        return messages
    blocks = tuple(TextBlock(text=reminder(text)) for text in reminders)
    if messages and messages[-1].role == "user":
        last = messages[-1]
        return (*messages[:-1], Message(role="user", content=(*last.content, *blocks)))
    return (*messages, Message(role="user", content=blocks))


async def _stream(bench: Bench, call: Call) -> Answer:
    """Tells every event as it comes and keeps the growing text on disk. Stops a model that goes round in circles."""
    entry_id = new_id()
    watch = StreamWatch(bench, entry_id)
    try:
        async with aclosing(call.__aiter__()) as events:
            async for event in events:
                crash_point("step:event")
                watch.note(event, call.winner.name if call.winner else "")
                if watch.repeated is not None:
                    break
    except ProviderError as failure:
        store_interrupted(bench, call, entry_id)
        raise Broken(failure.text()) from failure
    except BaseException:
        store_interrupted(bench, call, entry_id)
        raise
    finally:
        watch.close()
    completion = call.accumulator.completion()
    if watch.repeated is not None:
        completion = cut_short(completion, watch.repeated)
    model = call.winner.name if call.winner else ""
    return Answer(completion=completion, route=call.route, model=model, entry_id=entry_id, repeated=watch.repeated)


def store_interrupted(bench: Bench, call: Call, entry_id: str) -> None:
    """Keeps what had come, marked; half-written calls are left out."""
    if not call.accumulator.text.strip() and not call.accumulator.thinking.strip():
        return
    model = call.winner.name if call.winner else ""
    bench.record.append(interrupted_entry(call.accumulator.completion(), entry_id, model))
