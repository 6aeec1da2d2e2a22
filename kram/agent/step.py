"""One model call: what is sent, what streams back, what becomes durable.

steering claimed -> prompt -> plan -> view (compacting where due) -> request -> stream -> entries
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing

import msgspec

from kram.base import Data, crash_point, new_id
from kram.config import Combo
from kram.context import CONTINUE_BROKEN, STEER, View, reminder
from kram.events import ContextMeasured, Retrying
from kram.gateway import AllFailed, Call, GatewayError, Resumed
from kram.messages import (
    Completion,
    CompletionRequest,
    Kind,
    Message,
    Route,
    TextBlock,
    ToolUseBlock,
    entry,
)
from kram.providers import ProviderError

from .bench import Bench
from .calls import with_text_calls
from .entries import cut_short, interrupted_entry
from .fitting import fit, fit_after_refusal, full, refusal_cause
from .framing import Frame, lead_model, report
from .guards import Repeated
from .hooks import hooked, told_round
from .limits import Tally
from .notices import prepare_all
from .observer import RouteTeller
from .refused import keep_refused
from .watch import StreamWatch
from .weighing import weigh

UNSENT = ("response_reserve", "free")
"""Rows of a context report that are room, not text."""


MAX_BREAKS = 2
"""How often an answer that broke in the middle is gone on with, in one step."""


class Answer(Data):
    """A finished model call. `entry_id` is the id its assistant entry will have; `problem` a text call that was not run.

    `kept` is what was said before the stream broke and this call went on: stored already, as interrupted.
    """

    completion: Completion
    route: Route
    model: str
    entry_id: str
    problem: str = ""
    repeated: Repeated | None = None
    kept: str = ""

    @property
    def whole(self) -> Completion:
        """The answer with what was said before it broke."""
        said = (TextBlock(text=self.kept),) if self.kept else ()
        return msgspec.structs.replace(self.completion, content=(*said, *self.completion.content))


class Broken(Exception):
    """The stream failed after it had begun; what came is stored as interrupted. The cause is `__cause__`."""

    def __init__(self, failure: ProviderError, call: Call) -> None:
        super().__init__(failure.text())
        self.failure = failure
        self.call = call


async def run_step(bench: Bench, tally: Tally, *, final: bool, reminders: Sequence[tuple[str, str]]) -> Answer:
    """Makes one model call. Raises gateway and store errors, and `Broken` for a stream that failed midway."""
    claim_steering(bench)
    await prepare_all(bench.preparers, bench.record.session_id)
    bench.record.append(*(entry(Kind.NOTIFICATION, one.text, tag=one.tag) for one in bench.inbox.notices.take()))
    combo = bench.combo()
    if not lead_model(bench, combo).compact:
        due = await bench.reminding.due(bench.record.entries, bench.todos.get(), bench.policy().mode)
        reminders = [*reminders, *due]
    with bench.tracer.span("Shaper.Build", session_id=bench.record.session_id) as span:
        around, view = await fit(bench, tally, combo, reminders)
        span.set(n_messages=len(view.messages), tokens=view.tokens + around.plan.fixed)
    try:
        return await _answered(bench, tally, combo, around, view, final=final)
    except AllFailed as failure:
        if not failure.overflow:
            raise
        around, view = await fit_after_refusal(bench, tally, combo, reminders, refused=around, view=view)
    try:
        return await _answered(bench, tally, combo, around, view, final=final)
    except AllFailed as failure:
        if not failure.overflow:
            raise
        raise full(around, view, refusal_cause(failure)) from failure


def claim_steering(bench: Bench) -> int:
    """Stores what the person said in between; it is part of the next request."""
    claimed = bench.inbox.claim("steer")
    bench.record.append(*(entry(Kind.USER, item.text, entry_id=item.id, details={STEER: True}) for item in claimed))
    return len(claimed)


def claim_injected(bench: Bench) -> bool:
    """Stores what a host had for the moment the model is done; it is part of the next request."""
    text = bench.inbox.claim_injected()
    if text:
        bench.record.append(entry(Kind.USER, text, details={STEER: True}))
    return bool(text)


async def _answered(bench: Bench, tally: Tally, combo: Combo, around: Frame, view: View, *, final: bool) -> Answer:
    """The answer to one request. Where its stream breaks the model is asked to go on from there, by another candidate if
    there is one, at most twice and within the same budget of time. Raises `Broken` where nobody could."""
    resumed: Resumed | None = None
    broken: Broken | None = None
    for number in range(1, MAX_BREAKS + 2):
        try:
            answer = await _call(bench, tally, combo, around, view, final=final, resumed=resumed)
            return msgspec.structs.replace(answer, kept=resumed.said) if resumed else answer
        except Broken as failure:
            if not failure.failure.retryable or number > MAX_BREAKS or failure.call.seconds_left <= 0:
                raise
            broken, resumed = failure, failure.call.resumed()
        except GatewayError as failure:
            if broken is None:
                raise
            raise Broken(broken.failure, broken.call) from failure
        bench.emit(_going_on(broken, number + 1))
    raise AssertionError("the last round returns or raises")


def _going_on(broken: Broken, number: int) -> Retrying:
    winner = broken.call.winner
    return Retrying(
        reason=broken.failure.what,
        delay_s=0.0,
        round=number,
        rounds=MAX_BREAKS + 1,
        route_id=broken.call.route.id,
        candidate=winner.name if winner else "",
        kind=broken.failure.kind,
        http_status=broken.failure.status,
        resumed=True,
    )


async def _call(
    bench: Bench, tally: Tally, combo: Combo, around: Frame, view: View, *, final: bool, resumed: Resumed | None
) -> Answer:
    measured = report(bench, around, view)
    bench.emit(ContextMeasured(report=measured))
    request = build_request(view, around, final=final, trace_id=bench.record.session_id)
    if resumed and resumed.said.strip():
        request = going_on(request, resumed.said)
    call = bench.gateway.call(
        request,
        combo,
        turn=tally.turn,
        sent={item.category: item.tokens for item in measured.items if item.category not in UNSENT},
        prompt_tokens=view.tokens + around.plan.fixed,
        observer=RouteTeller(bench, tally),
        resumed=resumed,
    )
    told_round(bench.hooks, tally.model_calls, len(request.messages))
    tally.model_calls += 1
    tally.room_chars = (
        4 * max(0, around.plan.history - view.tokens) if around.plan.window else bench.limits.output_chars
    )
    with bench.tracer.span("streamChat", session_id=bench.record.session_id, n_messages=len(request.messages)) as span:
        try:
            answer = await _stream(bench, call)
        except AllFailed as failure:
            keep_refused(bench, request, failure)
            raise
        usage = answer.route.usage
        span.set(model=answer.model, response_chars=len(call.accumulator.text), n_tool_calls=_calls(answer.completion))
        span.set(tokens_in=usage.input, tokens_out=usage.output, tokens_cached=usage.cache_read)
    weigh(bench, request, answer.completion, answer.model)
    if final or answer.repeated or "no-text-calls" in around.model.quirks:
        return msgspec.structs.replace(answer, completion=hooked(answer.completion, bench.hooks))
    completion, problem = with_text_calls(answer.completion, around.tools)
    # A small model that is told about its mistake makes it again and again; its text is shown as it is.
    problem = "" if around.model.compact else problem
    return msgspec.structs.replace(answer, completion=hooked(completion, bench.hooks), problem=problem)


def _calls(completion: Completion) -> int:
    return sum(isinstance(block, ToolUseBlock) for block in completion.content)


def build_request(view: View, around: Frame, *, final: bool, trace_id: str) -> CompletionRequest:
    """On the final round the tools stay (histories with calls need their definitions) but may not be chosen."""
    return CompletionRequest(
        system=around.prompt.system,
        dynamic_boundary=around.prompt.dynamic_boundary,
        messages=_with_reminders(view.messages, around.prompt.post_history),
        tools=around.tools,
        examples=around.examples,
        tool_choice="none" if final and around.tools else "",
        # A small model may never find its end by itself; others are left to their own limits.
        max_tokens=around.model.max_output if around.model.compact else 0,
        thinking=around.model.thinking,
        reasoning_effort=around.model.reasoning_effort,
        trace_id=trace_id,
    )


def going_on(request: CompletionRequest, said: str) -> CompletionRequest:
    """The same request with what came of its answer, and the word to go on: the cached prefix stays as it is."""
    more = (
        Message(role="assistant", content=(TextBlock(text=said),)),
        Message(role="user", content=(TextBlock(text=reminder(CONTINUE_BROKEN)),)),
    )
    return msgspec.structs.replace(request, messages=(*request.messages, *more))


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
        raise Broken(failure, call) from failure
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
    bench.record.append(interrupted_entry(call.accumulator.completion(), entry_id, model, call.route))
