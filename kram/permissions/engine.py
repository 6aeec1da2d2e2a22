"""The one decision: a call and a policy in, a verdict with its reason out. Closed where it is not sure.

Deny beats everything. Between ask and allow the more specific rule wins, and a tie is ask. Protected, outside and secret
paths ask in every mode; `auto` still obeys every deny rule; `plan` only looks. Nothing is changed and nothing runs; the
file system is looked at where a path or a repository's configuration has to be.
"""

from __future__ import annotations

import logging

import msgspec

from kram.base import Target

from .commands import judge_command
from .globs import path_fits
from .modes import by_mode, known_mode, without_rule
from .paths import Around, around_here, judge_target
from .policy import Policy
from .rules import SHELL_TOOLS, Rule, subject_fits
from .scene import most_specific
from .verdict import SEVERITY, Call, Decision, Part, Verdict

log = logging.getLogger(__name__)


def judge(call: Call, policy: Policy, around: Around | None = None) -> Verdict:
    """Never raises: what goes wrong in judging asks, or denies where nobody can be asked.

    `around`: home folder and search path; this process's own where nothing is given.
    """
    policy = known_mode(policy)
    around = around or around_here()
    try:
        shell = bool(call.command) or call.tool in SHELL_TOOLS
        verdict = judge_command(call, policy, around) if shell else _judge_plain(call, policy, around)
        if call.command and call.targets:
            verdict = _worse(verdict, _judge_plain(call, policy, around))
        verdict = by_mode(verdict, call, policy)
    except Exception:
        log.exception("a call could not be judged")
        verdict = Verdict(decision="deny" if _denies(policy) else "ask", reason="the call could not be judged")
    if verdict.decision == "allow" and policy.problems:
        reason = f"a policy file cannot be used, so nothing is allowed by itself: {policy.problems[0]}"
        verdict = msgspec.structs.replace(verdict, decision="ask", reason=reason, safe_command="")
    if verdict.decision == "ask" and policy.default == "deny":
        reason = f"{verdict.reason}; nobody is asked here"
        verdict = msgspec.structs.replace(verdict, decision="deny", reason=reason, rule="")
    return verdict


def _denies(policy: Policy) -> bool:
    """Where judging itself fails, denied things can't have been looked for."""
    return any(rule.decision == "deny" for rule in policy.rules)


def _worse(one: Verdict, other: Verdict) -> Verdict:
    worst = max((one, other), key=lambda verdict: SEVERITY[verdict.decision])
    parts = (*one.parts, *other.parts)
    return msgspec.structs.replace(worst, parts=parts, rule=worst.rule if worst.decision == "deny" else "")


def _judge_plain(call: Call, policy: Policy, around: Around) -> Verdict:
    rules = [rule for rule in policy.rules if rule.fits_tool(call.tool)]
    if call.targets:
        parts = [_judge_target(call, target, policy, rules, around) for target in call.targets]
    else:
        parts = [_judge_call(call, policy, rules)]
    worst = max(parts, key=lambda part: SEVERITY[part.decision])
    offered = _always(call, around) if worst.decision == "ask" and not worst.rule else ""
    rule = worst.rule if worst.decision == "deny" else offered
    return Verdict(decision=worst.decision, reason=worst.reason, parts=tuple(parts), rule=rule)


def _judge_target(call: Call, target: Target, policy: Policy, rules: list[Rule], around: Around) -> Part:
    fitting = [
        rule
        for rule in rules
        if rule.any_call or path_fits(target, rule.pattern, around.home, wide=rule.decision != "allow")
    ]
    decision, reason, rule = _choose(fitting, call, policy, deletes=target.intent == "delete")
    path_decision, objection = judge_target(target, around)
    if decision != "deny" and path_decision != "allow" and not _named_outside(target, fitting, rule, objection):
        decision, reason = path_decision, objection
    return Part(text=target.real, decision=decision, rule=rule, reason=reason)


def _named_outside(target: Target, fitting: list[Rule], chosen: str, objection: str) -> bool:
    """Reading outside the project is allowed by a rule that names the absolute place, if nothing else speaks against it."""
    if target.intent != "read" or "is outside the project" not in objection:
        return False
    inside = msgspec.structs.replace(target, root="/")
    if judge_target(inside, Around())[0] != "allow":
        return False
    rule = next((one for one in fitting if str(one) == chosen), None)
    return rule is not None and rule.decision == "allow" and rule.pattern.startswith(("/", "~"))


def _judge_call(call: Call, policy: Policy, rules: list[Rule]) -> Part:
    fitting = [
        rule
        for rule in rules
        if rule.any_call or subject_fits(call.subject, rule.pattern, wide=rule.decision != "allow")
    ]
    decision, reason, rule = _choose(fitting, call, policy, deletes=False)
    return Part(text=call.subject or call.tool, decision=decision, rule=rule, reason=reason)


def _choose(fitting: list[Rule], call: Call, policy: Policy, *, deletes: bool) -> tuple[Decision, str, str]:
    denying = next((rule for rule in fitting if rule.decision == "deny"), None)
    if denying is not None:
        return "deny", f"the rule {denying} denies it", str(denying)
    if fitting:
        chosen = most_specific(fitting)
        return chosen.decision, f"the rule {chosen}", str(chosen)
    decision, reason = without_rule(call, policy, deletes=deletes)
    return decision, reason, ""


def _always(call: Call, around: Around) -> str:
    """For a file tool the exact path, for others the tool itself; never for more than was on screen."""
    if not call.targets:
        return call.tool if call.access in ("read", "user", "none") else ""
    target = call.targets[0]
    if len(call.targets) > 1 or judge_target(target, around)[0] != "allow" or target.intent == "delete":
        return ""
    inside = target.real[len(target.root) :].lstrip("/")
    # Without a folder a pattern would fit the name anywhere, and stars and blanks at the ends would be lost or widen it.
    odd = not inside or any(one in inside for one in "*?()\\") or not inside.isprintable() or inside != inside.strip()
    if odd or inside.startswith("~"):
        return ""
    return f"{call.tool}({inside if '/' in inside else './' + inside})"
