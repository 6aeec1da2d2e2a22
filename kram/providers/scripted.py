"""The scripted provider (kind `script`): a model whose answers are written down. Format: `script_format`.

Product code: `kram demo`, `kram replay`, bug reports and the tests play it through the same loop as any other model.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from kram.base import Clock, Json, SystemClock, UsageError, new_id
from kram.config import Model
from kram.config import Provider as ProviderConfig
from kram.messages import (
    BlockStopped,
    CompletionRequest,
    MessageDelta,
    MessageStarted,
    MessageStopped,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    ToolInputDelta,
    ToolUseStarted,
    ToolUseStopped,
    to_plain,
)

from .errors import (
    AuthFailed,
    ContentRejected,
    ContextOverflow,
    Incomplete,
    InvalidRequest,
    ModelMissing,
    NetworkFailed,
    ProviderError,
    RateLimited,
    ServerFailed,
    TimedOut,
)
from .script_format import Call, Fault, Script, Step, load_script
from .script_match import Position

_DELTAS = (TextDelta, ThinkingDelta, ToolInputDelta)
_PIECE = re.compile(r"\S+\s*|\s+")
_FAULTS: dict[str, type[ProviderError]] = {
    kind.kind: kind
    for kind in (
        NetworkFailed,
        TimedOut,
        ServerFailed,
        RateLimited,
        AuthFailed,
        InvalidRequest,
        ContextOverflow,
        ModelMissing,
        ContentRejected,
        Incomplete,
    )
}


class ScriptedProvider:
    """Plays one script; every open provider has its own position in it. See `kram.providers.Provider`."""

    def __init__(self, config: ProviderConfig, script: Script | None = None, *, clock: Clock | None = None) -> None:
        """Reads `config.script` unless a script is given. Raises `UsageError` for a script that cannot be read."""
        if script is None and not config.script:
            raise UsageError(f"Provider '{config.name}' has no `script`", todo="Name a .toml or .jsonl file")
        self.name = config.name
        self.script = script or load_script(Path(config.script).expanduser())
        self._models = config.models or (Model(provider=config.name, id=self.script.model or "script"),)
        self._position = Position(self.script)
        self._clock = clock or SystemClock()

    def body(self, request: CompletionRequest, model: Model) -> Json:
        """A script has no wire format: the request as it is."""
        plain: Json = to_plain(request)
        return plain

    def stream(self, request: CompletionRequest, model: Model) -> AsyncIterator[StreamEvent]:
        return self._play(request, model, paced=True)

    def complete(self, request: CompletionRequest, model: Model) -> AsyncIterator[StreamEvent]:
        return self._play(request, model, paced=False)

    async def list_models(self) -> tuple[Model, ...]:
        return self._models

    async def aclose(self) -> None:
        """Nothing to close."""

    async def _play(self, request: CompletionRequest, model: Model, *, paced: bool) -> AsyncIterator[StreamEvent]:
        number, step = self._position.choose(request)
        pace = step.pace if step.pace is not None else self.script.pace
        gap_s = 1 / pace if paced and pace else 0.0
        if step.delay_s:
            await self._clock.sleep(step.delay_s)
        left = _deltas_before_fault(step.fault)
        if left == 0 and step.fault is not None:
            await _fail(step.fault, number, self.script.name)
        for event, pause_s in _events(step, self.script.model or model.id):
            if isinstance(event, MessageStopped) and step.fault is not None:
                await _fail(step.fault, number, self.script.name)
            is_delta = isinstance(event, _DELTAS)
            if pause_s or (is_delta and gap_s):
                await self._clock.sleep(pause_s + (gap_s if is_delta else 0.0))
            else:
                # Gives way, so that a script without pauses can be stopped in the middle.
                await asyncio.sleep(0)
            yield event
            if is_delta and left is not None:
                left -= 1
                if left == 0 and step.fault is not None:
                    await _fail(step.fault, number, self.script.name)


def _deltas_before_fault(fault: Fault | None) -> int | None:
    """How many deltas come before the fault; None where it waits for the end or there is none."""
    if fault is None:
        return None
    if fault.after is None:
        return None if fault.kind == "incomplete" else 0
    return fault.after


async def _fail(fault: Fault, number: int, name: str) -> None:
    """Raises the fault, or waits for ever."""
    if fault.kind == "hang":
        await asyncio.Event().wait()
    message = fault.message or f"A scripted failure ({fault.kind})"
    raise _FAULTS[fault.kind](
        message, where=f"{name}, step {number}", status=fault.status, retry_after_s=fault.retry_after_s
    )


def _events(step: Step, model: str) -> Iterator[tuple[StreamEvent, float]]:
    """What a step says, each event with the pause in front of it, in seconds."""
    if step.events:
        yield from ((event, 0.0) for event in step.events)
        return
    yield MessageStarted(model=model), 0.0
    calls = 0
    for part in step.content():
        pause_s = part.pause_s
        for event in _part(part.thinking, part.text, part.call, calls):
            yield event, pause_s
            pause_s = 0.0
        calls += part.call is not None
    usage = step.usage
    stop_reason = step.stop_reason or ("refusal" if step.refusal else "tool_use" if calls else "end_turn")
    yield (
        MessageDelta(
            stop_reason=stop_reason,
            finish_reason=stop_reason,
            input=usage.input,
            output=usage.output,
            cache_read=usage.cache_read,
            cache_write=usage.cache_write,
            reasoning=usage.reasoning,
            refusal=step.refusal,
        ),
        0.0,
    )
    yield MessageStopped(), 0.0


def _part(thinking: str | None, text: str | None, call: Call | None, index: int) -> Iterator[StreamEvent]:
    if thinking is not None:
        yield from (ThinkingDelta(text=piece) for piece in _PIECE.findall(thinking))
        yield BlockStopped()
    if text is not None:
        yield from (TextDelta(text=piece) for piece in _PIECE.findall(text))
        yield BlockStopped()
    if call is not None:
        call_id = call.id or f"call_{new_id()[:8]}"
        yield ToolUseStarted(index=index, id=call_id, name=call.name, signature=call.signature)
        raw = call.raw if call.raw is not None else json.dumps(call.args or {}, ensure_ascii=False, default=str)
        yield from (ToolInputDelta(index=index, text=piece) for piece in _PIECE.findall(raw))
        if not call.open:
            yield ToolUseStopped(index=index)
