"""A session as the agent tells it: events in the order a turn emits them, and the entries they leave on record."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from kram.events import (
    EntryAdded,
    Event,
    ReasoningDelta,
    Stamped,
    TextDelta,
    ToolCallStreaming,
    ToolFinished,
    ToolProgressed,
    ToolStarted,
    TurnFinished,
    TurnResult,
    TurnStarted,
)
from kram.messages import Attempt, Entry, Kind, Part, Ranked, Route, TextBlock, ThinkingBlock, Usage, entry, to_plain


class Told:
    """Collects events and entries; `play` gives them to a subscriber. Time goes by one second an entry."""

    def __init__(self) -> None:
        self.events: list[Stamped] = []
        self.entries: list[Entry] = []
        self._ids = 0

    def emit(self, event: Event) -> None:
        self.events.append(Stamped(seq=len(self.events) + 1, at="2026-01-02T03:04:05.000Z", turn=1, event=event))

    def _id(self, what: str) -> str:
        self._ids += 1
        return f"{what}{self._ids}"

    def store(self, kind: Kind, content: str = "", **fields: object) -> Entry:
        fields.setdefault("entry_id", self._id("e"))
        fields.setdefault("at_ns", (len(self.entries) + 1) * 1_000_000_000)
        stored = entry(kind, content, **fields)
        self.entries.append(stored)
        self.emit(EntryAdded(entry=stored))
        return stored

    def asks(self, text: str, **fields: object) -> None:
        stored = self.store(Kind.USER, text, **fields)
        self.emit(TurnStarted(entry=stored))

    def answers(
        self,
        *pieces: str | tuple[str, dict[str, object]],
        thinking: str = "",
        pace: int = 7,
        status: str = "",
        usage: Usage | None = None,
    ) -> list[str]:
        """Streams thinking, text and calls `(name, arguments)` in order, then stores them as the agent does. Returns the
        ids of the calls."""
        entry_id = self._id("e")
        if thinking:
            for piece in cut(thinking, pace):
                self.emit(ReasoningDelta(text=piece, entry_id=entry_id))
        calls: list[str] = []
        for piece in pieces:
            if isinstance(piece, str):
                for part in cut(piece, pace):
                    self.emit(TextDelta(text=part, entry_id=entry_id))
            else:
                calls.append(self._id("call"))
                self.emit(ToolCallStreaming(name=piece[0], call_id=calls[-1], characters=0))
                self.emit(ToolCallStreaming(name=piece[0], call_id=calls[-1], characters=20))
        self._store_answer(pieces, thinking, calls, entry_id, status, usage)
        return calls

    def _store_answer(
        self,
        pieces: Sequence[str | tuple[str, dict[str, object]]],
        thinking: str,
        calls: list[str],
        entry_id: str,
        status: str,
        usage: Usage | None,
    ) -> None:
        details = {"route": to_plain(route(usage or Usage()))} if not status else {}
        pending: list[Part] = [ThinkingBlock(thinking=thinking)] if thinking else []
        first, ids = True, iter(calls)

        def meta() -> dict[str, object]:
            nonlocal first
            fields: dict[str, object] = {"model": "vendor/model"}
            if first and not status:
                fields |= {"usage": usage or Usage(input=1200, output=34), "details": details}
            first = False
            return fields

        for piece in pieces:
            if isinstance(piece, str):
                pending.append(TextBlock(text=piece))
                continue
            if first and pending:
                self._said(pending, entry_id, status, meta())
                pending = []
            self.store(
                Kind.TOOL_CALL,
                json.dumps(piece[1]),
                tool_call_id=next(ids),
                tool_name=piece[0],
                parts=tuple(pending),
                **meta(),
            )
            pending = []
        if pending or first:
            self._said(pending, entry_id if first else self._id("e"), status, meta())

    def _said(self, parts: list[Part], entry_id: str, status: str, fields: dict[str, object]) -> None:
        text = "".join(part.text for part in parts if isinstance(part, TextBlock))
        self.store(Kind.ASSISTANT, text, parts=tuple(parts), entry_id=entry_id, status=status, **fields)

    def runs(
        self, call_id: str, name: str, text: str, *, ok: bool = True, output: Sequence[str] = (), **details: object
    ) -> None:
        self.emit(ToolStarted(id=call_id, name=name, arguments={}))
        for piece in output:
            self.emit(ToolProgressed(id=call_id, output=piece))
        self.finishes(call_id, name, text, ok=ok, **details)

    def finishes(
        self, call_id: str, name: str, text: str, *, ok: bool = True, status: str = "", **details: object
    ) -> None:
        self.store(
            Kind.TOOL_RESULT,
            text,
            tool_call_id=call_id,
            tool_name=name,
            is_error=not ok,
            details=details,
            status=status,
        )
        self.emit(ToolFinished(id=call_id, name=name, ok=ok, text=text[:100], details=details))

    def ends(self) -> None:
        self.emit(TurnFinished(result=TurnResult(subtype="success", session_id="ses_1")))


def route(usage: Usage) -> Route:
    return Route(
        id="r1",
        combo="default",
        strategy="smart",
        ranking=(Ranked(candidate="vendor/model", reasons=("healthy", "cheapest")),),
        attempts=(
            Attempt(
                number=1, provider="other", model="big", outcome="error", kind="rate_limit", reason="429 slow down"
            ),
            Attempt(number=2, provider="vendor", model="model", outcome="success"),
        ),
        winner="vendor/model",
        usage=usage,
        duration_ms=1234,
    )


def cut(text: str, size: int) -> Iterator[str]:
    return (text[at : at + size] for at in range(0, len(text), size))


DIFF = """--- a/src/app.py
+++ b/src/app.py
@@ -1,4 +1,5 @@ def main():
 import os
-size = 1
+size = 2
+name = "three"
 print(size)
"""

ANSWER = """# Result

It **works** now, see `app.py` and [the docs](https://example.org/docs).

- first
- second, with a line that is long enough to be wrapped on every screen that people have at home or at work these days
  1. nested

| name | size |
|------|-----:|
| a    |   12 |
| 漢字 |    3 |

```python
def main() -> None:
    print("hello")  # a comment
```

> quoted

Done 👍.
"""


def long_session() -> Told:
    """A bit of everything, as it really happens."""
    told = Told()
    told.asks("Please fix the size")
    first, second = told.answers(
        "\n\nLet me look.\n",
        ("read_file", {"path": "src/app.py"}),
        "And run it.",
        ("bash", {"command": "pytest -q"}),
        thinking="The size is wrong.\n\nI should read first.",
    )
    told.runs(first, "read_file", "1 import os\n2 size = 1\n", duration_ms=3)
    failed = "E   assert 1 == 2\n1 failed\n"
    told.runs(second, "bash", failed, ok=False, output=["colle", "cting\r\x1b[31mE"], exit_code=1, duration_ms=2300)
    (third,) = told.answers(("edit_file", {"path": "src/app.py", "edits": []}), thinking="Edit.")
    told.runs(third, "edit_file", "edited", diff=DIFF, path="src/app.py", duration_ms=12)
    (fourth,) = told.answers(("ask_question", {"question": "Commit?", "options": ["yes", "no"]}))
    told.runs(fourth, "ask_question", "no")
    told.answers(ANSWER, usage=Usage(input=20_000, output=700, cache_read=15_000, cost_usd=0.0421))
    told.ends()
    told.asks("And the other one?", details={})
    (fifth,) = told.answers("On it.", ("bash", {"command": "make\nmake install"}))
    told.asks("only make, please", details={"steer": True})
    told.runs(fifth, "bash", "The person said no.", ok=False, verdict="denied")
    told.answers("I was about to", status="interrupted")
    told.store(Kind.NOTIFICATION, "The person stopped the turn here.", tag="interrupted")
    told.ends()
    return told
