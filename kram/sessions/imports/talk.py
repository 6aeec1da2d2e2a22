"""Builds entries from what another program recorded, step by step, and makes them whole at the end.

Whole: every call has exactly one result, behind it; ids of calls are unique; arguments are a JSON object; names are such as
any vendor takes. A next request can be built from it. Signatures of thinking are dropped: they belong to another account.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import msgspec

from kram.base import new_id
from kram.messages import Entry, ImageBlock, Kind, Part, TextBlock, ThinkingBlock, Usage, entry

NO_RESULT = "The result of this call is not in the imported file."
NO_BEGINNING = "The beginning of this session is not in the imported file."
ORPHAN = "result without a call"
MAX_NAME_CHARS = 64
_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_-]")


class Talk:
    """Methods in the order things happened; `at_ns` is 0 where it is unknown. `entries` closes what is open."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._pending: list[Part] = []
        self._pending_at = 0
        self._model = ""
        self.folded: dict[str, str] = {}

    def user(self, text: str, at_ns: int, images: Sequence[ImageBlock] = ()) -> None:
        self._flush()
        if text.strip() or images:
            self._entries.append(entry(Kind.USER, text, at_ns=at_ns, parts=tuple(images)))

    def think(self, text: str, at_ns: int, model: str = "") -> None:
        if text.strip():
            self._wait(ThinkingBlock(thinking=text), at_ns, model)

    def say(self, text: str, at_ns: int, model: str = "") -> None:
        if text.strip():
            self._wait(TextBlock(text=text), at_ns, model)

    def call(self, call_id: str, name: str, arguments: Any, at_ns: int, model: str = "") -> None:
        """`arguments` as text or as a value; what is no object becomes one."""
        self._model = model or self._model
        spoken = any(isinstance(part, TextBlock) for part in self._pending)
        parts = () if spoken else tuple(self._pending)
        if spoken:
            self._flush()
        self._pending = []
        self._entries.append(
            entry(
                Kind.TOOL_CALL,
                object_text(arguments),
                at_ns=at_ns,
                tool_call_id=call_id or new_id(),
                tool_name=_NOT_IN_NAMES.sub("_", name)[:MAX_NAME_CHARS] or "unknown",
                model=self._model,
                parts=parts,
            )
        )

    def result(
        self, call_id: str, text: str, at_ns: int, *, is_error: bool = False, images: Sequence[ImageBlock] = ()
    ) -> None:
        self._flush()
        self._entries.append(
            entry(Kind.TOOL_RESULT, text, at_ns=at_ns, tool_call_id=call_id, is_error=is_error, parts=tuple(images))
        )

    def note(self, text: str, tag: str, at_ns: int) -> None:
        self._flush()
        self._entries.append(entry(Kind.NOTIFICATION, text, at_ns=at_ns, tag=tag))

    def summary(self, text: str, at_ns: int) -> None:
        """A compaction: it stands for everything before it."""
        self._flush()
        if not text.strip():
            return
        marker = entry(Kind.COMPACTION, text, at_ns=at_ns)
        self.folded.update({one.id: marker.id for one in self._entries if one.id not in self.folded})
        self._entries.append(marker)

    def usage(self, usage: Usage) -> None:
        """Of the model call that was recorded last."""
        self._flush()
        for at in range(len(self._entries) - 1, -1, -1):
            one = self._entries[at]
            if one.kind in (Kind.ASSISTANT, Kind.TOOL_CALL):
                self._entries[at] = msgspec.structs.replace(
                    one, usage=usage if one.usage is None else one.usage + usage
                )
                return

    def drop_turns(self, count: int) -> None:
        """The last messages of the person and all that came of them were taken back."""
        self._flush()
        for _ in range(count):
            while self._entries and self._entries.pop().kind != Kind.USER:
                pass

    def ids(self) -> list[str]:
        """Of all entries so far."""
        self._flush()
        return [one.id for one in self._entries]

    def entries(self) -> tuple[Entry, ...]:
        self._flush()
        if self._entries and self._entries[0].kind in (Kind.ASSISTANT, Kind.TOOL_CALL):
            self._entries.insert(0, entry(Kind.NOTIFICATION, NO_BEGINNING, tag="imported"))
        return tuple(whole(self._entries))

    def _wait(self, part: Part, at_ns: int, model: str) -> None:
        self._model = model or self._model
        self._pending_at = self._pending_at if self._pending else at_ns
        self._pending.append(part)

    def _flush(self) -> None:
        text = "\n\n".join(part.text for part in self._pending if isinstance(part, TextBlock))
        if text:
            said = entry(Kind.ASSISTANT, text, at_ns=self._pending_at, parts=tuple(self._pending), model=self._model)
            self._entries.append(said)
        self._pending = []


def object_text(arguments: Any) -> str:
    """Arguments as the text of a JSON object; what is none is kept under `input`."""
    if isinstance(arguments, str):
        try:
            value = json.loads(arguments or "{}")
        except (ValueError, RecursionError):
            return json.dumps({"input": arguments}, ensure_ascii=False)
        # Escapes are taken apart: half of a character may hide behind one.
        if isinstance(value, dict) and "\\u" not in arguments:
            return arguments or "{}"
    else:
        value = arguments
    return json.dumps(value if isinstance(value, dict) else {"input": value}, ensure_ascii=False)


def whole(entries: Sequence[Entry]) -> list[Entry]:
    """Each call followed by its one result, in call order, before anything else is said; unanswered ones get one that says so.

    A result that has no call before it, or comes a second time, becomes a note: what it says is kept.
    """
    results: dict[str, Entry] = {}
    used: set[str] = set()
    calls: dict[str, list[str]] = {}
    names: dict[str, str] = {}
    renamed: list[Entry | None] = []
    for one in entries:
        if one.kind == Kind.TOOL_CALL:
            call_id = one.tool_call_id if one.tool_call_id not in used else f"{one.tool_call_id[:40]}-{new_id()[:8]}"
            used.add(call_id)
            calls.setdefault(one.tool_call_id, []).append(call_id)
            names[call_id] = one.tool_name
            renamed.append(msgspec.structs.replace(one, tool_call_id=call_id))
        elif one.kind == Kind.TOOL_RESULT and (open_ids := calls.get(one.tool_call_id)):
            call_id = open_ids.pop(0)
            results[call_id] = msgspec.structs.replace(one, tool_call_id=call_id, tool_name=names[call_id])
            renamed.append(None)
        elif one.kind == Kind.TOOL_RESULT:
            renamed.append(_as_note(one))
        else:
            renamed.append(one)
    return _placed(renamed, results)


def _placed(entries: Sequence[Entry | None], results: dict[str, Entry]) -> list[Entry]:
    """Results go right behind the last call of the answer they belong to; None stands where one was."""
    placed: list[Entry] = []
    due: list[Entry] = []
    for one in entries:
        if one is None or one.kind != Kind.TOOL_CALL:
            placed += [_answer(call, results) for call in due]
            due = []
        if one is not None:
            placed.append(one)
            due += [one] if one.kind == Kind.TOOL_CALL else []
    return placed + [_answer(call, results) for call in due]


def _answer(call: Entry, results: dict[str, Entry]) -> Entry:
    return results.get(call.tool_call_id) or entry(
        Kind.TOOL_RESULT,
        NO_RESULT,
        at_ns=call.created_at,
        tool_call_id=call.tool_call_id,
        tool_name=call.tool_name,
        is_error=True,
        status="unknown",
    )


def _as_note(result: Entry) -> Entry:
    return msgspec.structs.replace(
        result, kind=str(Kind.NOTIFICATION), tag=ORPHAN, tool_call_id="", tool_name="", is_error=False, parts=()
    )
