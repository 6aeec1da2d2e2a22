"""Judging shell text: every simple command by itself, the whole by its worst part."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from kram.base import resolve

from .paths import is_secret
from .policy import Policy
from .rules import Rule
from .shell import Command, parse, rebuilt
from .shell.tables import EVERYDAY, HARMLESS_VARIABLES, NO_ALWAYS, RISKY, STATEFUL, WRAPPERS
from .shell.words import fits, looked_through, readings
from .verdict import SEVERITY, Call, Decision, Part, Verdict

_READ_OPERATORS = ("<", "0<")


def judge_shell(call: Call, policy: Policy) -> Verdict:
    """The verdict for `call.command`."""
    rules = [rule for rule in policy.rules if rule.fits_tool(call.tool)]
    parsed = parse(call.command)
    parts = [_judge(command, call, policy, rules) for command in parsed.commands]
    denied = next((part for part in parts if part.decision == "deny"), None)
    if denied is not None:
        return Verdict(decision="deny", reason=denied.reason, parts=tuple(parts), rule=denied.rule)
    blanket = _blanket(rules, policy)
    if parsed.opaque or not parts:
        reason = f"the command is not fully understood: {parsed.opaque or 'it is empty'}"
        decision: Decision = "ask" if blanket != "deny" else "deny"
        parts = [*parts, Part(text=call.command, decision=decision, reason=reason)]
        return Verdict(decision=decision, reason=reason, parts=tuple(parts))
    if _cd_then_git(parsed.commands):
        reason = "cd and git in one command: another repository may bring its own helper programs"
        return Verdict(decision="ask", reason=reason, parts=tuple(parts))
    worst = max(parts, key=lambda part: SEVERITY[part.decision])
    safe = rebuilt(call.command) if worst.decision == "allow" else ""
    if worst.decision == "allow" and not safe:
        worst = Part(text=call.command, decision="ask", reason="the command cannot be rebuilt from its parts")
    return Verdict(
        decision=worst.decision,
        reason=worst.reason,
        parts=tuple(parts),
        rule=_always(parsed.commands) if worst.decision == "ask" else "",
        safe_command=safe,
    )


def _judge(command: Command, call: Call, policy: Policy, rules: list[Rule]) -> Part:
    text = shlex.join(command.known()) if command.words else "(redirection)"
    for reading in readings(command):
        for rule in rules:
            if rule.decision == "deny" and (rule.any_call or fits(reading, rule.pattern, wide=True)):
                return Part(text=text, decision="deny", rule=str(rule), reason=f"the rule {rule} denies it")
    objection = _objection(command, call)
    decision, reason, covering = _allowed_by(command, policy, rules)
    if decision == "allow" and objection:
        decision, reason = "ask", objection
    if decision == "ask" and objection and not covering:
        reason = objection
    return Part(text=text, decision=decision, rule=covering, reason=reason)


def _allowed_by(command: Command, policy: Policy, rules: list[Rule]) -> tuple[Decision, str, str]:
    """The most specific rule for a command, a tie being ask; then the everyday list, then the class default."""
    words = looked_through(tuple(word for word in command.words if word is not None)) if command.static else None
    fitting: list[Rule] = []
    for rule in rules:
        if rule.decision == "deny":
            continue
        if rule.any_call or (words and fits(words, rule.pattern)):
            fitting.append(rule)
    if fitting:
        top = max(rule.specificity() for rule in fitting)
        best = [rule for rule in fitting if rule.specificity() == top]
        chosen = next((rule for rule in best if rule.decision == "ask"), best[0])
        return chosen.decision, f"the rule {chosen}", str(chosen)
    if policy.mode == "auto" and not policy.problems:
        return "allow", "the mode is auto", ""
    if policy.everyday and words and _everyday(words):
        return "allow", "it only looks", ""
    decision = policy.defaults.get("execute", policy.default)
    return decision, "no rule allows it", ""


def _everyday(words: tuple[str, ...]) -> bool:
    if words[0] not in EVERYDAY:
        return False
    wanted = EVERYDAY[words[0]]
    return wanted is None or wanted.match(" ".join(words[1:])) is not None


def _objection(command: Command, call: Call) -> str:
    """Why a command may not run without a person, whatever rule covers it; "" where nothing speaks against it."""
    if not command.static:
        return "a word is decided by the shell when it runs"
    words = tuple(word for word in command.words if word is not None)
    for assignment in command.assignments:
        if not HARMLESS_VARIABLES.fullmatch(assignment):
            return f"it sets {assignment.split('=')[0]}"
    for operator, target in command.redirections:
        if problem := _redirection(operator, target, call):
            return problem
    if not words:
        return "" if command.redirections else "it sets a variable"
    inner = looked_through(words)
    if inner is None or inner[0] in WRAPPERS:
        return f"{words[0]} runs another program"
    name = inner[0]
    if "/" in name:
        return f"{name} is named by its path"
    if name in STATEFUL or (name == "printf" and "-v" in inner):
        return f"{name} changes the shell itself"
    risky = RISKY.get(name)
    if risky is not None:
        for word in inner[1:]:
            if risky.match(word):
                return f"{name} with {word} can run a program or write"
    for word in inner[1:]:
        if problem := _path_word(word, call):
            return problem
    return ""


def _redirection(operator: str, target: str | None, call: Call) -> str:
    if target is None:
        return "a redirection goes where only the shell knows"
    if operator in _READ_OPERATORS:
        return _path_word(target, call)
    if re.fullmatch(r"\d?>&|\d?<&", operator) and re.fullmatch(r"\d|-", target):
        return ""
    if target == "/dev/null":
        return ""
    return f"it writes to {target}"


def _path_word(word: str, call: Call) -> str:
    """A literal argument that leads out of the project or to a secret."""
    for value in {word, word.partition("=")[2]} - {""}:
        if value == "/dev/null":
            continue
        if is_secret(value):
            return f"{value} may hold secrets"
        if value.startswith("~"):
            return f"{value} is outside the project"
        if not call.root or not ("/" in value or value == ".." or value.startswith("..")):
            continue
        target = resolve(value, "read", root=Path(call.root), cwd=Path(call.root) / call.cwd)
        if not target.inside and not value.startswith("-"):
            return f"{value} is outside the project"
    return ""


def _cd_then_git(commands: tuple[Command, ...]) -> bool:
    names = [command.words[0] for command in commands if command.words]
    return "cd" in names and "git" in names[names.index("cd") :]


def _blanket(rules: list[Rule], policy: Policy) -> Decision:
    denying = any(rule.decision == "deny" and rule.any_call for rule in rules)
    return "deny" if denying or policy.default == "deny" else "ask"


def _always(commands: tuple[Command, ...]) -> str:
    """The honest rule "always" would store for a single, fully understood command; "" where none should be offered."""
    if len(commands) != 1 or not commands[0].static or commands[0].redirections or commands[0].assignments:
        return ""
    words = tuple(word for word in commands[0].words if word is not None)
    if not words or "/" in words[0]:
        return ""
    if words[0] in NO_ALWAYS:
        exact = shlex.join(words)
        return f"bash({exact})" if words[0] not in WRAPPERS | STATEFUL | {"rm"} and "*" not in exact else ""
    return f"bash({words[0]} *)"
