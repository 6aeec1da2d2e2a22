"""Every way a command may be read for a deny or ask rule: by base name, without wrappers, inside scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .model import Command, Parsed
from .parse import parse
from .wrappers import SHELLS, UNSURE, UNSURE_PAIRS, WRAPPERS, unwrapped

MAX_DEPTH = 6
_GIT_VALUES = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"})
_EXECS = re.compile(r"-(?:exec|execdir|ok|okdir)")
Words = tuple[str, ...]


def of_suspects(parsed: Parsed) -> Iterator[Words]:
    """The readings of what text that is not understood could hold."""
    for words in parsed.suspects:
        yield from _of(words, 0)


def of_command(command: Command) -> Iterator[Words]:
    """The readings of one command; the first is the command itself, its name without a folder."""
    words = command.texts()
    if words:
        yield from _of(words, 0)
        if _base(words[0]) in SHELLS or words[0] in (".", "source"):
            for redirect in command.redirects:
                if redirect.operator == "<<<":
                    yield from _of_script(redirect.target.text, 0)
    for one in command.assignments:
        if one.name in ("PROMPT_COMMAND", "BASH_ENV", "ENV"):
            yield from _of_script(one.value.text, 0)


def _base(name: str) -> str:
    return name.rpartition("/")[2]


def _of(words: Words, depth: int) -> Iterator[Words]:
    if not words:
        return
    if depth > MAX_DEPTH:
        # Too deep to tell: every word may begin a command.
        yield from ((_base(words[at]), *words[at + 1 :]) for at in range(len(words)))
        return
    name = _base(words[0])
    words = (name, *words[1:])
    yield words
    if name == "git":
        rest = _without_git_options(words[1:])
        yield ("git", *rest)
        yield from _of_git(rest, depth)
    if name == "find":
        for at, word in enumerate(words):
            if _EXECS.fullmatch(word):
                yield from _of(words[at + 1 :], depth + 1)
    if name in ("fd", "fdfind"):
        for at, word in enumerate(words):
            if word in ("-x", "-X", "--exec", "--exec-batch"):
                yield from _of(words[at + 1 :], depth + 1)
    for script in _scripts(words):
        yield from _of_script(script, depth)
    yield from _inner(words, depth)


def _inner(words: Words, depth: int) -> Iterator[Words]:
    name = words[0]
    if name in WRAPPERS:
        at = unwrapped(words)
        if at is not None:
            yield from _of(words[at:], depth + 1)
            if WRAPPERS[name].script:
                yield from _of_script(" ".join(words[at:]), depth)
            return
    elif name not in UNSURE and words[:2] not in UNSURE_PAIRS:
        return
    yield from _suffixes(words, depth)


def _suffixes(words: Words, depth: int) -> Iterator[Words]:
    """Any later word may begin the inner command; what wraps in there is a later word again."""
    for at in range(1, len(words)):
        name = _base(words[at])
        yield (name, *words[at + 1 :])
        if " " in words[at]:
            yield from _of_script(words[at], depth + 1)
        elif name in SHELLS or name == "eval":
            for script in _scripts((name, *words[at + 1 :])):
                yield from _of_script(script, depth + 1)


def _of_script(script: str, depth: int) -> Iterator[Words]:
    if not script.strip():
        return
    if depth > MAX_DEPTH:
        yield from _of(tuple(script.split()), depth + 1)
        return
    parsed = parse(script)
    for command in parsed.commands:
        yield from _of(command.texts(), depth + 1)
    for words in parsed.suspects:
        yield from _of(words, depth + 1)


def _scripts(words: Words) -> Iterator[str]:
    """Words that are shell text themselves."""
    name = words[0]
    if name in SHELLS or name in ("su", "runuser", "script", "flock"):
        for at, word in enumerate(words[1:], start=1):
            if re.fullmatch(r"-[A-Za-z]*c[A-Za-z]*|--command", word):
                yield from [one for one in words[at + 1 :] if not one.startswith(("-", "+"))][:1]
            elif word.startswith("--command="):
                yield word.partition("=")[2]
    elif name == "eval":
        yield " ".join(words[1:])
    elif name == "trap":
        yield from words[1:2]
    elif name == "alias":
        yield from (word.partition("=")[2] for word in words[1:] if "=" in word)
    elif name == "env":
        for at, word in enumerate(words[1:], start=1):
            if word in ("-S", "--split-string", "-vS"):
                yield " ".join(words[at + 1 : at + 2])
            elif word.startswith(("-S", "--split-string=")):
                yield word.removeprefix("-S").removeprefix("--split-string=")
    elif name in ("tar", "rsync", "sort", "rg", "git"):
        for word in words[1:]:
            if re.match(r"--(?:to-command|checkpoint-action|use-compress|rsh|compress-prog|pre|extcmd|exec)", word):
                yield word.partition("=")[2].removeprefix("exec=")


def _of_git(rest: Sequence[str], depth: int) -> Iterator[Words]:
    if rest[:1] and ("git", rest[0]) in UNSURE_PAIRS:
        yield from _suffixes(tuple(rest), depth)


def _without_git_options(words: Sequence[str]) -> tuple[str, ...]:
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in _GIT_VALUES else 1
    return tuple(words[at:])
