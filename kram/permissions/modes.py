"""What a mode changes about a verdict that rules and paths have led to."""

from __future__ import annotations

from typing import get_args

import msgspec

from .matching import looks_only
from .policy import Policy
from .verdict import Call, Decision, Mode, Verdict

MODES: tuple[Mode, ...] = get_args(Mode)
_READING = ("read", "user", "none")


def known_mode(policy: Policy) -> Policy:
    """A mode nobody knows asks."""
    return policy if policy.mode in MODES else msgspec.structs.replace(policy, mode="ask")


def without_rule(call: Call, policy: Policy, *, deletes: bool) -> tuple[Decision, str]:
    """What is decided for a call without shell text that no rule fits."""
    if policy.mode == "auto" and not (deletes and any(target.kind == "dir" for target in call.targets)):
        return "allow", "the mode is auto"
    if policy.mode == "accept-edits" and call.access == "write" and call.targets and not deletes:
        return "allow", "the mode is accept-edits"
    decision = policy.class_default(call.access)
    return decision, f"{call.access} access is decided by the default"


def by_mode(verdict: Verdict, call: Call, policy: Policy) -> Verdict:
    """`plan` only looks: whatever else is denied, with a word to the model."""
    if policy.mode != "plan" or verdict.decision == "deny":
        return verdict
    if looks_only(call) if call.command else call.access in _READING:
        return verdict
    reason = "plan mode only looks; say what you would do instead"
    return msgspec.structs.replace(verdict, decision="deny", reason=reason, rule="", safe_command="")
