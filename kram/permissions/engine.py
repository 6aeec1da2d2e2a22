"""The one decision: a call and a policy in, a verdict with its reason out. Pure, and closed where it is not sure.

Deny beats everything. Between ask and allow the more specific rule wins, and a tie is ask. Protected, outside and secret
paths ask in every mode; `auto` still obeys every deny rule; `plan` only looks.
"""

from __future__ import annotations

import logging
from pathlib import Path

import msgspec

from kram.base import Target

from .globs import path_fits
from .paths import judge_target
from .policy import Policy
from .rules import Rule
from .shell_engine import judge_shell
from .verdict import SEVERITY, Call, Decision, Part, Verdict

log = logging.getLogger(__name__)


def judge(call: Call, policy: Policy) -> Verdict:
    """Never raises: what goes wrong in judging asks, or denies where nobody can be asked."""
    try:
        verdict = judge_shell(call, policy) if call.command else _judge_plain(call, policy)
    except Exception:
        log.exception("a call could not be judged")
        verdict = Verdict(decision="ask", reason="the call could not be judged")
    verdict = _by_mode(verdict, call, policy)
    if verdict.decision == "allow" and policy.problems and call.access != "read":
        verdict = msgspec.structs.replace(
            verdict, decision="ask", reason=f"a policy file is unusable: {policy.problems[0]}"
        )
    if verdict.decision == "ask" and policy.default == "deny":
        verdict = msgspec.structs.replace(verdict, decision="deny", reason=verdict.reason + "; nobody is asked here")
    return verdict


def _judge_plain(call: Call, policy: Policy) -> Verdict:
    rules = [rule for rule in policy.rules if rule.fits_tool(call.tool)]
    parts = [_judge_target(call, target, policy, rules) for target in call.targets] or [
        _judge_call(call, policy, rules)
    ]
    worst = max(parts, key=lambda part: SEVERITY[part.decision])
    offered = _always(call) if worst.decision == "ask" and not _path_objects(call) else ""
    rule = worst.rule if worst.decision == "deny" else offered
    return Verdict(decision=worst.decision, reason=worst.reason, parts=tuple(parts), rule=rule)


def _judge_target(call: Call, target: Target, policy: Policy, rules: list[Rule]) -> Part:
    fitting = [rule for rule in rules if rule.any_call or path_fits(target, rule.pattern)]
    path_decision, objection = judge_target(target, Path.home())
    decision, reason, rule = _choose(fitting, call, policy)
    if decision != "deny" and SEVERITY[path_decision] > SEVERITY[decision]:
        decision, reason = path_decision, objection
    return Part(text=target.real, decision=decision, rule=rule, reason=reason)


def _judge_call(call: Call, policy: Policy, rules: list[Rule]) -> Part:
    fitting = [rule for rule in rules if rule.any_call or rule.pattern == call.subject]
    decision, reason, rule = _choose(fitting, call, policy)
    return Part(text=call.subject or call.tool, decision=decision, rule=rule, reason=reason)


def _choose(fitting: list[Rule], call: Call, policy: Policy) -> tuple[Decision, str, str]:
    for rule in fitting:
        if rule.decision == "deny":
            return "deny", f"the rule {rule} denies it", str(rule)
    if fitting:
        top = max(rule.specificity() for rule in fitting)
        best = [rule for rule in fitting if rule.specificity() == top]
        chosen = next((rule for rule in best if rule.decision == "ask"), best[0])
        return chosen.decision, f"the rule {chosen}", str(chosen)
    if policy.mode == "auto" or (policy.mode == "accept-edits" and call.access == "write"):
        return "allow", f"the mode is {policy.mode}", ""
    decision = policy.defaults.get(call.access, policy.default)
    return decision, f"{call.access} access is decided by the default", ""


def _path_objects(call: Call) -> bool:
    return any(judge_target(target, Path.home())[0] != "allow" for target in call.targets)


def _always(call: Call) -> str:
    """For a file tool the exact path, for others the tool itself; never for more than was on screen."""
    if call.targets:
        target = call.targets[0]
        if len(call.targets) > 1 or not target.root:
            return ""
        inside = target.real[len(target.root) :].lstrip("/")
        return f"{call.tool}({inside})" if "*" not in inside else ""
    return call.tool if call.access in ("read", "user", "none") else ""


def _by_mode(verdict: Verdict, call: Call, policy: Policy) -> Verdict:
    if policy.mode != "plan" or verdict.decision == "deny" or call.access in ("read", "user", "none"):
        return verdict
    if verdict.decision == "allow" and call.command and all(part.reason == "it only looks" for part in verdict.parts):
        return verdict
    return msgspec.structs.replace(
        verdict, decision="deny", reason="plan mode only looks; say what you would do instead", rule=""
    )
