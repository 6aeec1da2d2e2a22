"""Judging shell text: every simple command by itself, the whole by its worst part."""

from __future__ import annotations

from pathlib import Path

from kram.base import Data

from .matching import fits, shadowed, touched
from .objections import Views, objections
from .paths import Around
from .policy import Policy
from .repository import helper_in_use
from .rules import Rule
from .scene import Scene, folders_of, most_specific
from .shell import Command, Parsed, parse, rebuilt
from .shell.everyday import looks
from .shell.model import UNKNOWN
from .shell.patterns import pattern_of, touches
from .shell.readings import of_command, of_suspects
from .shell.suggest import suggestion
from .verdict import SEVERITY, Call, Decision, Part, Verdict

MAX_EXPLAINED = 50
MAX_WORK = 3_000_000
"""Words compared with deny rules before a text counts as too large, which denies."""
LOOKS = "it only looks"


class Judged(Data):
    """`always`: the pattern of the rule that would let it run."""

    part: Part
    always: str = ""


def judge_command(call: Call, policy: Policy, around: Around) -> Verdict:
    """The verdict for `call.command`, the mode `plan` not considered."""
    parsed = parse(call.command)
    rules = tuple(rule for rule in policy.rules if rule.fits_tool(call.tool))
    root = Path(call.root)
    folders = folders_of(root, call.cwd, parsed.commands)
    scene = Scene(call=call, policy=policy, rules=rules, around=around, root=root, folders=folders or (root,))
    views = _all_views(parsed)
    if views is None:
        return _too_large(scene)
    brief = bool(parsed.opaque) and len(parsed.commands) > MAX_EXPLAINED
    judged = [_judge(command, seen, scene, brief) for command, seen in zip(parsed.commands, views, strict=False)]
    denied = _denied(views[-1], judged, scene)
    if denied is not None:
        return denied
    objection = _whole_objection(parsed, views, scene, folders is None)
    parts = tuple(one.part for one in judged)
    if objection:
        parts = (*parts, Part(text=call.command, decision="ask", reason=objection))
    worst = max(parts, key=lambda part: SEVERITY[part.decision])
    safe = rebuilt(parsed) if worst.decision == "allow" else ""
    if worst.decision == "allow" and not safe and not scene.auto:
        return Verdict(decision="ask", reason="the command cannot be rebuilt from its parts", parts=parts)
    reason = objection if objection and worst.decision != "deny" else worst.reason
    if worst.decision == "allow":
        reason = "; ".join(dict.fromkeys(part.reason for part in parts))
    rule = _always(call, judged) if worst.decision == "ask" and not objection else ""
    return Verdict(decision=worst.decision, reason=reason, parts=parts, rule=rule, safe_command=safe)


def _all_views(parsed: Parsed) -> list[Views] | None:
    """The readings of each command, and last those of the suspects; None where they are too many."""
    work = 0
    found: list[Views] = []
    for source in [*(of_command(command) for command in parsed.commands), of_suspects(parsed)]:
        views: list[tuple[str, ...]] = []
        for words in source:
            work += len(words) + 1
            if work > MAX_WORK:
                return None
            views.append(words)
        found.append(tuple(views))
    return found


def _too_large(scene: Scene) -> Verdict:
    """Where not every denied command could be looked for, the text may not run; without such rules a person may say."""
    reason = "it is too large to be searched for denied commands"
    denying = any(rule.decision == "deny" for rule in scene.rules)
    return Verdict(decision="deny" if denying else "ask", reason=reason)


# --- denied -------------------------------------------------------------------------------------------------------


def _denied(suspects: Views, judged: list[Judged], scene: Scene) -> Verdict | None:
    parts = tuple(one.part for one in judged)
    hard = next((part for part in parts if part.decision == "deny" and part.rule), None)
    if hard is not None:
        return Verdict(decision="deny", reason=hard.reason, parts=parts, rule=hard.rule)
    denying = [rule for rule in scene.rules if rule.decision == "deny"]
    blanket = next((rule for rule in denying if rule.any_call), None)
    if blanket is not None:
        return _denial(blanket, scene.call.command, parts)
    for rule in denying:
        pattern = pattern_of(rule.pattern)
        for words in suspects:
            if touches(pattern, words):
                return _denial(rule, " ".join(words), parts)
    return None


def _denial(rule: Rule, text: str, parts: tuple[Part, ...]) -> Verdict:
    reason = f"the rule {rule} denies it"
    if not any(part.decision == "deny" for part in parts):
        parts = (*parts, Part(text=text, decision="deny", rule=str(rule), reason=reason))
    return Verdict(decision="deny", reason=reason, parts=parts, rule=str(rule))


# --- one command --------------------------------------------------------------------------------------------------


def _judge(command: Command, views: Views, scene: Scene, brief: bool) -> Judged:
    """`brief`: the whole asks anyway and is long, so only what denies it is looked for."""
    words = command.texts()
    text = " ".join(words).replace(UNKNOWN, "…") if words else _of_what(command)
    for rule in scene.rules:
        if rule.decision == "deny" and touched(rule, views):
            return Judged(part=_part(text, "deny", f"the rule {rule} denies it", words, rule))
    if brief:
        return Judged(part=_part(text, "ask", "the whole is not understood", words, None))
    found = max(objections(command, views, scene), key=lambda one: SEVERITY[one[0]], default=None)
    decision, reason, chosen = _decided(command, views, scene)
    if found is not None and SEVERITY[found[0]] >= SEVERITY[decision]:
        return Judged(part=_part(text, found[0], found[1], words, chosen))
    always = suggestion(words) if decision == "ask" and chosen is None and found is None and words else ""
    return Judged(part=_part(text, decision, reason, words, chosen), always=always)


def _part(text: str, decision: Decision, reason: str, words: tuple[str, ...], rule: Rule | None) -> Part:
    return Part(text=text, decision=decision, reason=reason, argv=words, rule=str(rule) if rule is not None else "")


def _of_what(command: Command) -> str:
    pieces = [f"{one.name}={one.value.text}" for one in command.assignments]
    pieces += [f"{one.descriptor}{one.operator}{one.target.text}" for one in command.redirects]
    return " ".join(pieces).replace(UNKNOWN, "…")


def _decided(command: Command, views: Views, scene: Scene) -> tuple[Decision, str, Rule | None]:
    """The most specific rule for a command, a tie being ask; then the mode, the everyday list, the default."""
    if not command.words:
        # Assignments and redirections alone run no program; what speaks against them is an objection.
        return "allow", "it runs nothing", None
    fitting = [rule for rule in scene.rules if rule.decision != "deny" and fits(rule, command, views)]
    if fitting:
        chosen = most_specific(fitting)
        return chosen.decision, f"the rule {chosen}", chosen
    if scene.auto:
        return "allow", "the mode is auto", None
    if scene.policy.everyday and looks(command) and not shadowed(command, scene):
        return "allow", LOOKS, None
    decision = scene.policy.class_default(scene.call.access)
    return decision, "no rule allows it" if decision != "allow" else "the default allows it", None


# --- the whole ----------------------------------------------------------------------------------------------------


def _whole_objection(parsed: Parsed, views: list[Views], scene: Scene, too_many_folders: bool) -> str:
    if parsed.opaque:
        return f"the command is not fully understood: {parsed.opaque}"
    if not parsed.commands:
        return "the command is empty"
    if parsed.loose and not scene.auto:
        return f"the command is not fully understood: it holds {parsed.loose}"
    if too_many_folders:
        return "it changes folders too often to be followed"
    if scene.call.cwd and (problem := _outside(scene)):
        return problem
    names = [words[0] for seen in views for words in seen]
    if "git" not in names:
        return ""
    if "cd" in names[: len(names) - names[::-1].index("git")]:
        return "cd and git in one command: another repository may bring its own helper programs"
    if scene.call.root and (helper := helper_in_use(scene.root, scene.folders)):
        return f"git may run a program of this repository's choice: {helper}"
    return ""


def _outside(scene: Scene) -> str:
    target = scene.target(scene.call.cwd, "read", scene.root)
    return "" if target.inside else f"it runs in {target.real}, which is outside the project"


def _always(call: Call, judged: list[Judged]) -> str:
    """The one rule that would let the whole run; "" where more than one thing asks, or where none is safe to keep."""
    asking = [one for one in judged if one.part.decision == "ask"]
    patterns = {one.always for one in asking}
    pattern = patterns.pop() if len(patterns) == 1 else ""
    return f"{call.tool}({pattern})" if pattern else ""
