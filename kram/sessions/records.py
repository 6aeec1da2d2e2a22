"""What the store keeps beside entries: a session's head and the decisions of the gate."""

from __future__ import annotations

from kram.base import Data


class SessionInfo(Data):
    """A session in a list. Times in nanoseconds since 1970; `parent` is the session it was forked from."""

    id: str
    title: str
    workspace: str
    created_at: int
    updated_at: int
    entries: int = 0
    parent: str = ""


class DecisionRecord(Data):
    """One decision about one call, stored before its effect. `arguments` is canonical JSON, `hash` its SHA-256.

    `decision`: allow, once, always, deny. `by`: policy, person, or the rule.
    """

    call_id: str
    tool: str
    arguments: str
    decision: str
    by: str
    reason: str = ""
    hash: str = ""
    at: int = 0
