"""Writes a headless run to stdout: only the answer, or only JSON. Everything else goes to stderr.

`write` gets whole lines and flushes them; a closed stdout raises `BrokenPipeError` to the caller.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Literal, TypeAlias

from kram import events
from kram.base import Json, visible
from kram.runtime import Runtime

from .lines import PRINTED, event_line, result_object

Format: TypeAlias = Literal["text", "json", "stream-json"]
Write: TypeAlias = Callable[[str], None]


class Printer:
    """One run. `out` is stdout, `err` stderr."""

    def __init__(
        self, output: Format, out: Write, err: Write, *, partial: bool = False, to_screen: bool = False
    ) -> None:
        """`to_screen`: stdout is a terminal, which must not be given control characters of a model."""
        self._to_screen = to_screen
        self._output = output
        self._out = out
        self._err = err
        self._partial = partial
        self._seq = 0
        self._reasoning: list[str] = []

    def session(self, runtime: Runtime) -> None:
        """The first line of `stream-json`."""
        if self._output == "stream-json":
            self._line(
                {
                    "type": "session",
                    "session_id": runtime.session.id,
                    "workspace": str(runtime.workspace.root),
                    "model": runtime.combo.name,
                    "tools": [tool.name for tool in runtime.tools() if tool.enabled],
                    "permission_mode": runtime.mode,
                }
            )

    def event(self, stamped: events.Stamped) -> None:
        """A subscriber of the bus."""
        event = stamped.event
        if self._output != "stream-json":
            self._tell(event)
            return
        if isinstance(event, events.ReasoningDelta) and not self._partial:
            self._reasoning.append(event.text)
            return
        if isinstance(event, events.AssistantSaid | events.ToolStarted | events.RouteDone):
            self._flush_reasoning(stamped)
        if type(event) not in PRINTED or (isinstance(event, events.TextDelta) and not self._partial):
            return
        self._event(event, stamped)

    def result(self, result: events.TurnResult) -> None:
        """The last thing said."""
        if self._output == "text":
            if result.text:
                text = visible(result.text) if self._to_screen else result.text
                self._out(text if text.endswith("\n") else text + "\n")
            if result.error:
                self._err(f"kram: {visible(result.error)}\n")
        else:
            self.object(result_object(result))
            if result.error and self._output == "json":
                self._err(f"kram: {visible(result.error)}\n")

    def object(self, value: Json) -> None:
        self._line(value)

    def _event(self, event: events.Event, stamped: events.Stamped) -> None:
        self._seq += 1
        self._line(event_line(event, seq=self._seq, at=stamped.at, turn=stamped.turn))

    def _flush_reasoning(self, stamped: events.Stamped) -> None:
        if self._reasoning:
            text = "".join(self._reasoning)
            self._reasoning.clear()
            self._event(events.ReasoningDelta(text=text), stamped)

    def _tell(self, event: events.Event) -> None:
        """Notices, retries and refused calls, for whoever reads stderr."""
        match event:
            case events.Notice():
                self._err(f"kram: {visible(event.text)}\n")
            case events.Retrying():
                self._err(
                    f"kram: {event.reason}; trying again in {event.delay_s:.1f} s ({event.round}/{event.rounds})\n"
                )
            case events.ToolFinished() if event.details.get("verdict") == "denied":
                self._err(f"kram: {event.name} was denied: {visible(event.text)}\n")
            case _:
                pass

    def _line(self, value: Json) -> None:
        self._out(json.dumps(value, ensure_ascii=self._to_screen, separators=(",", ":")) + "\n")
