"""Puts tool calls together from fragments, whatever a server leaves away or sends twice.

Fragments are routed by index, by id where there is none, else to the newest call. Names are never joined. Servers that give
all their parallel calls the index 0 are told apart by a new id or by arguments that were complete already.
"""

from __future__ import annotations

import json
from typing import Any

from kram.base import Json
from kram.messages import StreamEvent, ToolInputDelta, ToolUseStarted, ToolUseStopped
from kram.providers.call_ids import made_id

from .tokens import pack

_ENDINGS = ("}", "]", '"')


class _Call:
    def __init__(self, index: int) -> None:
        self.index = index
        self.id = ""
        self.given_id = ""
        self.name = ""
        self.signature = ""
        self.pieces: list[str] = []
        self.started = False

    @property
    def complete(self) -> bool:
        """Whether the arguments are a whole JSON text; none at all are not."""
        if not self.pieces or not self.pieces[-1].rstrip().endswith(_ENDINGS):
            return False
        try:
            json.loads("".join(self.pieces))
        except (ValueError, RecursionError):
            return False
        return True


class Calls:
    """`add` takes the `tool_calls` of one delta or message, `finish` ends what is complete."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._at: dict[int, _Call] = {}
        self._ids: set[str] = set()

    def __bool__(self) -> bool:
        return any(call.started for call in self._calls)

    def add(self, fragments: Any) -> list[StreamEvent]:
        events: list[StreamEvent] = []
        for fragment in fragments if isinstance(fragments, list) else ():
            if isinstance(fragment, dict):
                events += self._fragment(fragment)
        return events

    def finish(self, *, cut: bool) -> list[StreamEvent]:
        """The end of the answer. Where it was `cut` off, only calls with whole arguments are complete."""
        events: list[StreamEvent] = []
        for call in self._calls:
            if call.started and (not cut or call.complete):
                events.append(ToolUseStopped(index=call.index))
        return events

    def _fragment(self, fragment: Json) -> list[StreamEvent]:
        function = fragment.get("function")
        function = function if isinstance(function, dict) else {}
        call_id, name, text = (
            _text(fragment.get("id")),
            _text(function.get("name")),
            _arguments(function.get("arguments")),
        )
        if not (call_id or name or text):
            return []
        call = self._find(fragment.get("index"), call_id, name, text)
        call.given_id = call.given_id or call_id
        call.name = call.name or name
        if isinstance(fragment.get("extra_content"), dict):
            call.signature = pack({"extra_content": fragment["extra_content"]})
        return self._grow(call, text)

    def _find(self, index: Any, call_id: str, name: str, text: str) -> _Call:
        if isinstance(index, int) and not isinstance(index, bool):
            known = self._at.get(index)
            if known is None or _is_another(known, call_id, name, text):
                known = self._at[index] = self._new()
            return known
        if call_id:
            return next((call for call in self._calls if call.given_id == call_id), None) or self._new()
        last = self._calls[-1] if self._calls else None
        return last if last is not None and not (name and last.name) else self._new()

    def _new(self) -> _Call:
        call = _Call(len(self._calls))
        self._calls.append(call)
        return call

    def _grow(self, call: _Call, text: str) -> list[StreamEvent]:
        """A call is announced when its name is known; what came before that is held back."""
        if text:
            call.pieces.append(text)
        if call.started:
            return [ToolInputDelta(index=call.index, text=text)] if text else []
        if not call.name:
            return []
        call.started = True
        call.id = call.given_id if call.given_id and call.given_id not in self._ids else made_id()
        self._ids.add(call.id)
        started = ToolUseStarted(index=call.index, id=call.id, name=call.name, signature=call.signature)
        held = "".join(call.pieces)
        return [started, *([ToolInputDelta(index=call.index, text=held)] if held else [])]


def _is_another(known: _Call, call_id: str, name: str, text: str) -> bool:
    """Whether a fragment with a used index begins another call: it has a name, and the known call can take no more."""
    if not name or not known.started:
        return False
    if call_id and known.given_id and call_id != known.given_id:
        return known.complete or not known.pieces
    return not call_id and bool(text.strip()) and known.complete


def _arguments(value: Any) -> str:
    """Text as it is; an object, which some servers send instead, as JSON; null and nothing as nothing."""
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return _text(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
