"""One completion over HTTP: from the request to the last byte, whole or streamed, until it is done, the client is gone, or the
server is stopped.

Nothing is sent before an attempt commits, so a call that fails before its first word ends with a proper status. A failure after
that ends the stream with an explicit error finish and `[DONE]`; it is never a clean end.
"""

from __future__ import annotations

import asyncio
import json
import logging
from contextlib import aclosing
from typing import Literal

from starlette.types import Receive, Scope, Send

from kram.base import Json, KramError
from kram.config import Combo
from kram.gateway.call import Call
from kram.gateway.candidates import earliest
from kram.gateway.errors import AllFailed, NoCandidate
from kram.gateway.gateway import Gateway
from kram.providers import ProviderError

from .answer import Chunks, Head, whole
from .problems import Problem, all_failed, broke_off, internal, nobody, stopping
from .request import Asked, tokens_at_least

log = logging.getLogger(__name__)

RUN_KEY = "x-kram-run-id"
MAX_RUN_KEY = 200
AGAIN_S = 1.0
"""What a client is told to wait where a candidate may be tried at once."""

_DONE = b"data: [DONE]\n\n"
End = Literal["done", "gone", "stopping"]


class Exchange:
    """An ASGI application for one request. `stopping` is set when the server ends. What happened is read from `call`, `problem`
    and `end` afterwards."""

    def __init__(self, gateway: Gateway, asked: Asked, combo: Combo, *, run_key: str, stopping: asyncio.Event) -> None:
        self._gateway = gateway
        self._asked = asked
        self._combo = combo
        self._stopping = stopping
        self._begun = False
        self._tokens = tokens_at_least(asked.request)
        self.call: Call = gateway.call(
            asked.request,
            combo,
            purpose="serve",
            run_key=run_key[:MAX_RUN_KEY],
            prompt_tokens=self._tokens,
            streaming=asked.stream,
        )
        self.problem: Problem | None = None
        self.end: End = "done"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._send = send
        work = self._stream if self._asked.stream else self._whole
        async with asyncio.TaskGroup() as group:
            task = group.create_task(work())
            gone = group.create_task(_gone(receive))
            stop = group.create_task(self._stopping.wait())
            await asyncio.wait((task, gone, stop), return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                self.end = "gone" if gone.done() else "stopping"
            for one in (task, gone, stop):
                one.cancel()
        if self.end == "stopping":
            await self._fail(stopping())

    # --- whole --------------------------------------------------------------------------------------------------------

    async def _whole(self) -> None:
        try:
            async with aclosing(aiter(self.call)) as events:
                async for _ in events:
                    pass
        except Exception as failure:
            await self._fail(self._problem(failure))
            return
        await self._json(200, whole(self._head(), self.call.accumulator.completion(), self.call.route))

    # --- streamed -----------------------------------------------------------------------------------------------------

    async def _stream(self) -> None:
        chunks: Chunks | None = None
        try:
            async with aclosing(aiter(self.call)) as events:
                async for event in events:
                    chunks = chunks or await self._begin()
                    for chunk in chunks.of(event):
                        await self._chunk(chunk)
            self._check_calls()
        except Exception as failure:
            await self._fail(self._problem(failure))
            return
        chunks = chunks or await self._begin()
        for chunk in chunks.last(self.call.accumulator.completion(), self.call.route):
            await self._chunk(chunk)
        await self._send({"type": "http.response.body", "body": _DONE, "more_body": False})

    async def _begin(self) -> Chunks:
        await self._start(200, "text/event-stream; charset=utf-8", {"Cache-Control": "no-cache", **self._facts()})
        self._begun = True
        chunks = Chunks(self._head(), usage_due=self._asked.include_usage)
        await self._chunk(chunks.first())
        return chunks

    def _check_calls(self) -> None:
        """A call that was shown and never closed must not look like one to run; cut by the token limit, the finish tells so."""
        said = self.call.accumulator.completion()
        if said.unfinished and said.stop_reason != "max_tokens":
            raise ProviderError(f"The call of '{said.unfinished[0].name}' was never finished")

    async def _chunk(self, chunk: Json) -> None:
        await self._send(
            {"type": "http.response.body", "body": b"data: " + _encoded(chunk) + b"\n\n", "more_body": True}
        )

    # --- failing ------------------------------------------------------------------------------------------------------

    def _problem(self, failure: Exception) -> Problem:
        wait_s = self._wait_s(failure)
        match failure:
            case NoCandidate():
                return nobody(failure, wait_s)
            case AllFailed():
                return all_failed(failure, self._combo.name, wait_s)
            case ProviderError():
                return broke_off(failure, self._combo.name, self.call.route.attempts, wait_s)
            case KramError():
                # The combo's own configuration (an unknown strategy, a script that is not there).
                return Problem(failure.text(), status=500, kind="server_error", code="configuration")
            case _:
                log.error("a completion failed", exc_info=failure)
                return internal()

    def _wait_s(self, failure: Exception) -> float | None:
        """Seconds until another try makes sense: what providers asked for, or when the first resting candidate is back."""
        found = self._gateway.sort(self._asked.request, self._combo, self._tokens)
        if not found.fitting:
            first = earliest(found.resting)
            return None if first is None else max(0.0, first.view.until_s - self._gateway.clock.monotonic())
        if isinstance(failure, AllFailed):
            asked = [one.retry_after_s for one in failure.failures if one.retry_after_s is not None]
            return min(asked, default=AGAIN_S)
        return AGAIN_S

    async def _fail(self, problem: Problem) -> None:
        self.problem = problem
        if not self._begun:
            await self._json(problem.status, problem.body(), problem.headers)
            return
        chunks = Chunks(self._head(), usage_due=False)
        body = b"data: " + _encoded(chunks.broken(problem)) + b"\n\n" + _DONE
        await self._send({"type": "http.response.body", "body": body, "more_body": False})

    # --- bytes --------------------------------------------------------------------------------------------------------

    def _head(self) -> Head:
        winner = self.call.winner
        created = self._gateway.clock.now_ns() // 1_000_000_000
        return Head(
            id=f"chatcmpl-{self.call.route.id}",
            created=created,
            model=winner.name if winner else self._combo.name,
        )

    def _facts(self) -> dict[str, str]:
        """Headers that tell who answers and what had no effect."""
        winner = self.call.winner
        facts = {"X-Kram-Combo": self._combo.name, "X-Kram-Model": winner.name if winner else ""}
        if self._asked.ignored:
            facts["X-Kram-Ignored"] = ", ".join(self._asked.ignored)
        return facts

    async def _json(self, status: int, body: Json, headers: dict[str, str] | None = None) -> None:
        await self._start(status, "application/json", {**(headers or {}), **self._facts()})
        await self._send({"type": "http.response.body", "body": _encoded(body), "more_body": False})

    async def _start(self, status: int, content_type: str, headers: dict[str, str]) -> None:
        pairs = {"Content-Type": content_type, **headers}
        await self._send(
            {
                "type": "http.response.start",
                "status": status,
                "headers": [(name.lower().encode(), _header(value)) for name, value in pairs.items()],
            }
        )


async def _gone(receive: Receive) -> None:
    """Returns when the client has left."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _encoded(value: Json) -> bytes:
    """Compact JSON on one line; what no UTF-8 can hold (half of a surrogate pair) stays escaped."""
    return json.dumps(value, separators=(",", ":")).encode()


def _header(value: str) -> bytes:
    """Names of models and combos are a person's own text: what a header cannot hold is shown as '?'."""
    return "".join(char if char.isprintable() else "?" for char in value).encode("ascii", "replace")
