"""Which rules fit a command: deny and ask rules widely, allow rules narrowly; and which commands only look."""

from __future__ import annotations

import shutil
from pathlib import Path

from .objections import Views
from .rules import Rule
from .scene import Scene
from .shell import Command, parse
from .shell.everyday import looks
from .shell.patterns import Pattern, covers, pattern_of, touches
from .shell.programs import STATEFUL, is_interpreter, launched
from .shell.wrappers import WRAPPER_NAMES, looked_through
from .verdict import Call


def touched(rule: Rule, views: Views) -> bool:
    if rule.any_call:
        return True
    pattern = pattern_of(rule.pattern)
    return any(touches(pattern, words) for words in views)


def fits(rule: Rule, command: Command, views: Views) -> bool:
    if rule.decision == "ask":
        return touched(rule, views)
    if command.open and not rule.any_call:
        return False
    words = command.texts()
    inner = looked_through(words)
    if rule.any_call:
        return inner is not None and inner[0] not in STATEFUL and inner[0] not in WRAPPER_NAMES
    pattern = pattern_of(rule.pattern)
    return any(covers(pattern, one) and _fixes_program(pattern, one) for one in (words, inner) if one)


def _fixes_program(pattern: Pattern, words: tuple[str, ...]) -> bool:
    """A rule with a star covers an interpreter or launcher only where it says which program that runs."""
    if not pattern.star:
        return True
    name = words[0]
    if name in WRAPPER_NAMES and not launched(words):
        return False
    if taken := launched(words):
        return len(pattern.words) > taken and not pattern.words[taken].startswith("-") and pattern.words[taken] != "*"
    if is_interpreter(name):
        literal = pattern.words[1:]
        if not literal or any(one in ("-c", "-e", "-", "--eval", "-p", "--print", "*") for one in literal):
            return False
        return any(not one.startswith("-") for one in literal)
    return True


def shadowed(command: Command, scene: Scene) -> bool:
    """Whether a program of that name in the project would be found first."""
    inner = looked_through(command.texts())
    folders = [
        one for one in scene.around.search_path if not one.startswith("/") or Path(one).is_relative_to(scene.root)
    ]
    return bool(inner and folders and shutil.which(inner[0], path=":".join(folders)))


def looks_only(call: Call) -> bool:
    """Whether everything in the text is an everyday command that changes nothing."""
    parsed = parse(call.command)
    if parsed.opaque or parsed.loose or not parsed.commands:
        return False
    return all(looks(command) for command in parsed.commands)
