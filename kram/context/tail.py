"""Where the old part of a session ends and the recent part begins, and what of the old part nothing may touch."""

from __future__ import annotations

from collections.abc import Sequence

from kram.messages import Entry, Kind

from .policy import ViewPolicy
from .skills import active_skills, is_skill
from .view import measure

TAIL_SHARE = 0.5
"""Of the tokens shaping aims at, what the recent part may take before it gets shorter."""
QUESTION_CHARS = 400
"""How far from its end an assistant's message is searched for a question."""
STEER, JOINED = "steer", "joined"
"""In `details` of the person's entries: said while a turn ran; one of several that began a turn together."""

_ANSWER = (Kind.ASSISTANT, Kind.TOOL_CALL)


def pristine_tail(entries: Sequence[Entry], messages: int, tools: int) -> int:
    """How many entries at the end stay untouched.

    Users and assistants use up `messages`, calls and results use up `tools`, other kinds pass free; the walk stops at the
    first entry over its allowance. Negative allowances count as 0.
    """
    left = {"message": max(0, messages), "tool": max(0, tools)}
    count = 0
    for entry in reversed(entries):
        if entry.kind in (Kind.USER, Kind.ASSISTANT):
            group = "message"
        elif entry.kind in (Kind.TOOL_CALL, Kind.TOOL_RESULT):
            group = "tool"
        else:
            count += 1
            continue
        if left[group] == 0:
            break
        left[group] -= 1
        count += 1
    return count


def tail_start(entries: Sequence[Entry], policy: ViewPolicy) -> int:
    """Index of the first recent entry. Where the recent part alone would fill what shaping aims at, it is made shorter, but
    never shorter than what the model has not seen yet; calls stay with their results and with what was said around them.
    """
    start = len(entries) - pristine_tail(entries, policy.tail_messages, policy.tail_tools)
    start = _whole_answer(entries, start)
    if policy.goal <= 0:
        return start
    newest = _unseen(entries)
    room = round(policy.goal * TAIL_SHARE)
    tokens = measure(entries[start:], policy)
    while start < newest and tokens > room:
        following = _next_start(entries, start, newest)
        tokens -= measure(entries[start:following], policy)
        start = following
    return start


def protected(entries: Sequence[Entry], policy: ViewPolicy) -> frozenset[str]:
    """Ids that no stage may shorten, replace or fold: what the person pinned, the person's last words with all that
    belongs to them, a question that is open, and the skills in use."""
    kept = [*_pinned(entries, policy), *last_words(entries), *open_question(entries)]
    kept += active_skills(entries, policy.meter)
    return frozenset(one.id for one in kept)


def said_by_person(entry: Entry) -> bool:
    """Whether an entry is the person's own words, not a skill that travels as a user's text."""
    return entry.kind == Kind.USER and not is_skill(entry)


def begins_turn(entry: Entry) -> bool:
    """Whether a turn began with this: the person's words, and neither added to a turn that ran nor one of several."""
    return said_by_person(entry) and not (entry.details.get(STEER) or entry.details.get(JOINED))


def last_words(entries: Sequence[Entry]) -> list[Entry]:
    """The person's last message and what they added to it while it was worked on."""
    start = _turn_start(entries)
    return [one for one in entries[start:] if said_by_person(one)] if start >= 0 else []


def open_question(entries: Sequence[Entry]) -> list[Entry]:
    """Questions that stand in the room: what the assistant asked with its last words before the person's last ones (which
    answer it, and mean little without it), or at the very end, and what was asked and answered in the running turn."""
    start = _turn_start(entries)
    found = [one for one in (_asking(entries[:start] if start > 0 else ()), _asking(entries)) if one is not None]
    calls = {one.tool_call_id for one in entries[max(0, start) :] if one.tool_name == "ask_question"}
    found += [one for one in entries if one.tool_call_id in calls and one.tool_call_id]
    return found


def _asking(entries: Sequence[Entry]) -> Entry | None:
    """The last entry, notices aside, where it is an assistant's message that ends in a question."""
    for one in reversed(entries):
        if one.kind == Kind.NOTIFICATION or is_skill(one):
            continue
        asks = one.kind == Kind.ASSISTANT and any(mark in one.content[-QUESTION_CHARS:] for mark in "?？؟")
        return one if asks else None
    return None


def _turn_start(entries: Sequence[Entry]) -> int:
    """Index of the person's message that began the last turn, -1 without one."""
    return next((at for at in range(len(entries) - 1, -1, -1) if begins_turn(entries[at])), -1)


def _pinned(entries: Sequence[Entry], policy: ViewPolicy) -> list[Entry]:
    """A pinned call keeps its result, and the other way round."""
    ids = set(policy.marks.pinned)
    if not ids:
        return []
    calls = {one.tool_call_id for one in entries if one.id in ids and one.tool_call_id}
    return [one for one in entries if one.id in ids or one.tool_call_id in calls]


def _whole_answer(entries: Sequence[Entry], start: int) -> int:
    """The start moved back to where its answer begins, so that no call is parted from its result."""
    if start >= len(entries) or entries[start].kind not in (Kind.TOOL_CALL, Kind.TOOL_RESULT):
        return start
    while start > 0 and entries[start].kind == Kind.TOOL_RESULT:
        start -= 1
    while start > 0 and entries[start - 1].kind in _ANSWER and entries[start].kind in _ANSWER:
        start -= 1
    return start


def _unseen(entries: Sequence[Entry]) -> int:
    """Where the last answer with its results begins, or what was said behind it: no model has seen that yet."""
    at = len(entries)
    while at > 0 and entries[at - 1].kind not in (*_ANSWER, Kind.TOOL_RESULT):
        at -= 1
    if at == 0 or (at < len(entries) and entries[at - 1].kind == Kind.ASSISTANT):
        return at
    return _whole_answer(entries, at - 1)


def _next_start(entries: Sequence[Entry], start: int, newest: int) -> int:
    """The next place behind `start` where an answer or a message begins."""
    at = start + 1
    while at < newest and (
        entries[at].kind == Kind.TOOL_RESULT or (entries[at].kind in _ANSWER and entries[at - 1].kind in _ANSWER)
    ):
        at += 1
    return min(at, newest)
