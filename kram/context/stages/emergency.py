"""The last resort: cut, oldest first, until it fits. What may not be touched is left alone to the end.

Tool results first, then long texts and long arguments of calls, then whole entries; at last the newest ones are cut too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from kram.context.policy import StageReport, ViewPolicy
from kram.context.tail import protected, tail_start
from kram.context.view import cost, staged
from kram.messages import Entry, Kind, entry

from .marks import short

AIM = 0.85
"""Of the limit."""
RESULT_ABOVE, RESULT_HEAD, RESULT_TAIL = 1_500, 750, 500
TEXT_ABOVE, TEXT_HEAD = 1_200, 600
MIN_LEFT = 6


def emergency(entries: Sequence[Entry], policy: ViewPolicy) -> tuple[list[Entry], StageReport]:
    """Without a limit nothing happens."""
    if policy.limit <= 0:
        return staged("emergency", entries, entries, policy)
    shrinking = _Shrinking(entries, policy, max(1, round(policy.limit * AIM)))
    shrinking.each(lambda one: cut_result(one, RESULT_ABOVE, RESULT_HEAD, RESULT_TAIL), old_only=True)
    shrinking.each(_cut_text, old_only=True)
    shrinking.drop()
    shrinking.each(lambda one: cut_result(one, RESULT_ABOVE, RESULT_HEAD, RESULT_TAIL), old_only=False)
    shrinking.each(_cut_text, old_only=False)
    shown, report = staged("emergency", entries, shrinking.left(), policy)
    if report.tokens_after >= report.tokens_before:
        return staged("emergency", entries, entries, policy)
    return shown, report


def cut_result(one: Entry, above: int, head: int, tail: int) -> Entry:
    """A tool result with head and tail of its text and a marker between; anything else as it is."""
    if one.kind != Kind.TOOL_RESULT or (len(one.content) <= above and not one.parts):
        return one
    text = one.content
    if len(text) > above:
        text = f"{text[:head]}\n[truncated: {len(text) - head - tail} characters left out; event_id={one.id}]\n{text[-tail:]}"
    return msgspec.structs.replace(one, content=text, parts=())


def _cut_text(one: Entry) -> Entry:
    return short(one, TEXT_HEAD) if len(one.content) > TEXT_ABOVE and one.kind != Kind.TOOL_RESULT else one


def _left_out(first: Entry) -> Entry:
    return entry(
        Kind.NOTIFICATION,
        "earlier steps were left out here to make room",
        entry_id=first.id,
        at_ns=first.created_at,
        tag="truncated",
    )


class _Shrinking:
    """Entries that get smaller until `aim` tokens are reached; after that nothing changes any more."""

    def __init__(self, entries: Sequence[Entry], policy: ViewPolicy, aim: int) -> None:
        self._entries: list[Entry | None] = list(entries)
        self._policy = policy
        self._aim = aim
        self._border = tail_start(entries, policy)
        self._spared = protected(entries, policy)
        self._tokens = sum(self._cost(one) for one in entries)

    def _cost(self, one: Entry) -> int:
        return cost(one, self._policy)

    def _may(self, one: Entry) -> bool:
        return one.id not in self._spared and one.kind != "system"

    def each(self, change: Callable[[Entry], Entry], *, old_only: bool) -> None:
        """Changes entries from the oldest on while it is too much."""
        for at, one in enumerate(self._entries[: self._border if old_only else None]):
            if self._tokens <= self._aim:
                return
            if one is None or not self._may(one):
                continue
            changed = change(one)
            if (saved := self._cost(one) - self._cost(changed)) > 0:
                self._entries[at] = changed
                self._tokens -= saved

    def drop(self) -> None:
        """Takes whole entries away, a call together with its result, as long as enough are left. A line stands where the
        first of them stood: a request has to begin with a message to the model."""
        count = sum(one is not None for one in self._entries)
        first = -1
        for at in range(self._border):
            one = self._entries[at]
            if self._tokens <= self._aim or count <= MIN_LEFT:
                return
            if one is None or not self._may(one) or one.kind == Kind.COMPACTION:
                continue
            for place in self._with_partner(at):
                gone = self._entries[place]
                if gone is not None:
                    self._tokens -= self._cost(gone)
                    self._entries[place] = None
                    count -= 1
            if first < 0:
                first = at
                self._entries[at] = _left_out(one)
                self._tokens += self._cost(_left_out(one))

    def _with_partner(self, at: int) -> list[int]:
        one = self._entries[at]
        if one is None or not one.tool_call_id:
            return [at]
        return [place for place, other in enumerate(self._entries) if other and other.tool_call_id == one.tool_call_id]

    def left(self) -> list[Entry]:
        return [one for one in self._entries if one is not None]
