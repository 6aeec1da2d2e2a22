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
    """One decision about one call, stored before its effect.

    - `arguments`: canonical JSON, secrets taken out. `hash`: SHA-256 of the arguments as they ran, in hex.
    - `decision`: allow, once, always, deny. `by`: policy, person, or the rule.
    - `policy_hash`: which policy decided, "" where its maker does not say.
    - `at`: nanoseconds, in one order with the session's entries: a result is always later than its decision.
    """

    call_id: str
    tool: str
    arguments: str
    decision: str
    by: str
    reason: str = ""
    hash: str = ""
    policy_hash: str = ""
    at: int = 0
