"""Why a command may not run without a person, whatever rule covers it. The automatic mode overlooks some of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

from .scene import Scene
from .shell.everyday import looks, only_looks
from .shell.hazards import hazard
from .shell.model import UNKNOWN, Command, Redirect
from .shell.patterns import covers, pattern_of
from .shell.programs import STATEFUL, destroys
from .shell.texts import text_words
from .shell.wrappers import WRAPPER_NAMES, looked_through
from .verdict import Decision

_HARMLESS = re.compile(r"NO_COLOR|CI|LC_ALL|LANG|TZ")
_HARMLESS_VALUE = re.compile(r"(?!/|:|\.)(?!.*\.\.)[\w.:/@+-]*", re.ASCII)
_TELLING = re.compile(
    r"PATH|IFS|ENV|SHELL|SHELLOPTS|HOME|PS4|EDITOR|VISUAL|PAGER|BROWSER|LESSOPEN|LESSCLOSE|CDPATH|GLOBIGNORE|PROMPT_COMMAND"
    r"|BASH_.*|LD_.*|DYLD_.*|GIT_.*|PYTHON.*|PERL.*|RUBY.*|NODE_.*|NPM_.*|npm_.*|JAVA_.*|JDK_.*|RIPGREP_.*|MANPAGER|KRAM_.*|XDG_.*"
)
_SYSTEM_FOLDERS = ("/bin", "/usr/bin", "/usr/local/bin")
_UNSAFE_STATE = frozenset(
    {"eval", "exec", "source", ".", "trap", "alias", "enable", "hash", "bind", "coproc", "let", "fc"}
)
_NETWORK = re.compile(r"/dev/(?:tcp|udp)(?:/|$)")
_STANDARD = re.compile(r"\d{1,2}|-")

Objection: TypeAlias = tuple[Decision, str]
Views: TypeAlias = tuple[tuple[str, ...], ...]
"""Every way a command may be read, see `shell.readings`."""


def objections(command: Command, views: Views, scene: Scene) -> Iterator[Objection]:
    """Each with the decision it leads to (ask, or deny by a rule for files) and its reason."""
    for redirect in command.redirects:
        if (found := _redirection(redirect, scene)) is not None:
            yield found
    for assignment in command.assignments:
        if not _harmless(assignment.name, assignment.value.text, assignment.value.open, assignment.append, scene):
            yield "ask", f"it sets {assignment.name}"
        elif scene.auto and (problem := scene.path_objection(assignment.value.text.replace(UNKNOWN, ""))):
            yield "ask", problem
    if command.words:
        yield from (("ask", reason) for reason in _of_words(command, views, scene))
    elif not command.redirects and not command.assignments:
        yield "ask", "it is empty"


def _of_words(command: Command, views: Views, scene: Scene) -> Iterator[str]:
    first = command.words[0]
    if first.open or not first.text:
        yield f"which program runs is decided by {first.open or 'an empty word'}"
        return
    if scene.auto:
        yield from _in_auto(command, views, scene)
    elif command.open:
        yield f"a word of it is decided by {command.open} when it runs"
    else:
        yield from _of_known(command.texts(), scene)
    texts = text_words(command.texts())
    looking = looks(command)
    for place, word in enumerate(command.words):
        if place == 0 or place in texts:
            continue
        if word.open:
            problem = scene.open_objection(word.text, word.tilde)
        else:
            problem = scene.path_objection(word.text, writes=not looking)
        if problem:
            yield problem


def _of_known(words: tuple[str, ...], scene: Scene) -> Iterator[str]:
    inner = looked_through(words)
    if inner is not None and inner[0] == "command" and only_looks(inner):
        return
    if inner is None or inner[0] in WRAPPER_NAMES:
        if not _by_name(words, scene):
            yield f"{words[0]} runs another program"
        return
    name = inner[0]
    if "/" in name:
        yield f"{name} is named by its path"
    elif not name.isascii() or not name.isprintable():
        yield "the program's name holds unusual characters"
    elif name in STATEFUL:
        yield f"{name} changes the shell itself"
    elif name == "cd" and (len(inner) != 2 or inner[1].startswith("-")):
        yield "cd leads to where only the shell knows"
    elif reason := hazard(inner):
        yield reason


def _by_name(words: tuple[str, ...], scene: Scene) -> bool:
    """A rule with exactly these words was written for just this command."""
    patterns = [pattern_of(rule.pattern) for rule in scene.rules if rule.decision == "allow" and not rule.any_call]
    return any(not pattern.star and covers(pattern, words) for pattern in patterns)


def _in_auto(command: Command, views: Views, scene: Scene) -> Iterator[str]:
    name = command.words[0].text
    if "/" in name:
        folder = str(Path(name).parent)
        if folder not in _SYSTEM_FOLDERS and (problem := scene.path_objection(name)):
            yield problem
    for words in views:
        if words[0] in _UNSAFE_STATE:
            yield f"{words[0]} changes the shell itself"
        elif UNKNOWN in words[0]:
            yield "which program runs is not known"
        elif reason := destroys(words):
            yield reason


def _harmless(name: str, value: str, unknown: str, append: bool, scene: Scene) -> bool:
    if scene.auto:
        return _TELLING.fullmatch(name) is None and "[" not in name
    return not unknown and not append and bool(_HARMLESS.fullmatch(name) and _HARMLESS_VALUE.fullmatch(value))


def _redirection(redirect: Redirect, scene: Scene) -> Objection | None:
    target, operator = redirect.target, redirect.operator
    if redirect.document or operator == "<<<":
        if target.open and not scene.auto:
            return "ask", f"its input is decided by {target.open}"
        return None
    if operator in (">&", "<&") and not target.open and _STANDARD.fullmatch(target.text):
        return None
    if _NETWORK.search(target.text):
        return "ask", f"{target.text} is a network connection"
    if target.open:
        return "ask", "a redirection goes where only the shell knows"
    if target.text == "/dev/null":
        return None
    if operator == "<":
        problem = scene.path_objection(target.text)
        return ("ask", problem) if problem else None
    decision, reason = scene.write(target.text)
    return None if decision == "allow" else (decision, reason)
