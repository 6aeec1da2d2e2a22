"""Rule patterns against the words of a command: narrow for allow and ask, wide for deny."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

from .parse import Command, parse
from .tables import LOOKED_THROUGH, SHELLS, WRAPPERS

_GIT_VALUE_OPTIONS = {"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"}
_LONG_OF = {"r": "recursive", "f": "force", "R": "recursive", "v": "verbose", "i": "interactive", "d": "dir"}


def pattern_words(pattern: str) -> list[str]:
    """A pattern as words; quotes in it work as in the shell."""
    try:
        return shlex.split(pattern)
    except ValueError:
        return pattern.split()


def fits(words: Sequence[str], pattern: str, *, wide: bool = False) -> bool:
    """Whether words fit a pattern: exact words, a final star for any further ones, a glued star for a word and further ones.

    `wide` (deny): a glued star also covers longer words, and flags count in any order and spelling.
    """
    wanted = pattern_words(pattern)
    if not wanted or not words:
        return False
    *front, last = wanted
    if last == "*":
        return _starts(words, front, wide)
    if last.endswith("*") and last != "*":
        stem = last[:-1]
        if not _starts(words, front, wide) or len(words) <= len(front):
            return False
        word = words[len(front)]
        return word.startswith(stem) if wide else word == stem
    if wide:
        return _starts(words, wanted, wide) and len([w for w in words if not w.startswith("-")]) <= len(
            [w for w in wanted if not w.startswith("-")]
        )
    return list(words) == wanted


def _starts(words: Sequence[str], front: Sequence[str], wide: bool) -> bool:
    if list(words[: len(front)]) == list(front):
        return True
    if not wide or not front or words[0] != front[0]:
        return False
    flags = {flag for word in words for flag in _flags(word)}
    wanted_flags = {flag for word in front[1:] for flag in _flags(word)}
    plain = [word for word in words[1:] if not word.startswith("-")]
    wanted_plain = [word for word in front[1:] if not word.startswith("-")]
    return wanted_flags <= flags and plain[: len(wanted_plain)] == wanted_plain


def _flags(word: str) -> Iterator[str]:
    """Single letters of a cluster under their long names; long flags as they are."""
    if word.startswith("--"):
        yield word[2:].split("=", maxsplit=1)[0]
    elif word.startswith("-") and len(word) > 1:
        for letter in word[1:]:
            yield _LONG_OF.get(letter, letter)


def readings(command: Command) -> Iterator[tuple[str, ...]]:
    """Every way a command may be read for a deny rule: by basename, without git's options, and what wrappers wrap."""
    words = command.known()
    seen = 0
    while words and seen < 8:
        seen += 1
        name = words[0].rpartition("/")[2]
        words = (name, *words[1:])
        yield words
        if name == "git":
            yield ("git", *_without_git_options(words[1:]))
        if name == "find":
            for place, word in enumerate(words):
                if re.fullmatch(r"-(?:exec|execdir|ok|okdir)", word):
                    yield from readings(Command(words=words[place + 1 :]))
        if name in SHELLS or name == "eval":
            script = _script(words)
            if script:
                for inner in parse(script).commands:
                    yield from readings(inner)
            return
        if name not in WRAPPERS:
            return
        words = _unwrapped(words)


def _without_git_options(words: Sequence[str]) -> list[str]:
    rest = list(words)
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option in _GIT_VALUE_OPTIONS and rest:
            rest.pop(0)
    return rest


def _script(words: Sequence[str]) -> str:
    if words[0] == "eval":
        return " ".join(words[1:])
    for place, word in enumerate(words[1:], start=1):
        if re.fullmatch(r"-[a-z]*c[a-z]*", word) and place + 1 < len(words):
            return words[place + 1]
    return ""


def _unwrapped(words: Sequence[str]) -> tuple[str, ...]:
    """What a wrapper runs, as well as options can be told from words."""
    name, rest = words[0], list(words[1:])
    while rest and (rest[0].startswith("-") or (name == "env" and "=" in rest[0])):
        option = rest.pop(0)
        if (
            option in ("-u", "-n", "-k", "-s", "-C", "-i", "-o", "-e", "-I", "-L", "-P", "-d", "-a", "-p", "-g")
            and rest
        ):
            rest.pop(0) if name != "env" or option != "-i" else None
    if name in ("timeout", "nice", "watch", "taskset", "flock") and rest and re.fullmatch(r"[\d.]+[smhd]?", rest[0]):
        rest.pop(0)
    return tuple(rest)


def looked_through(words: Sequence[str]) -> tuple[str, ...] | None:
    """The command behind harmless wrappers with plain options; None where the wrapper is used in another way."""
    current = tuple(words)
    for _ in range(4):
        if not current or current[0] not in LOOKED_THROUGH:
            return current or None
        name, rest = current[0], list(current[1:])
        if name == "timeout":
            if not rest or not re.fullmatch(r"[\d.]+[smhd]?", rest.pop(0)):
                return None
        elif name == "nice" and rest[:1] == ["-n"]:
            if len(rest) < 2 or not re.fullmatch(r"-?\d+", rest[1]):
                return None
            del rest[:2]
        elif name == "stdbuf":
            while rest and re.fullmatch(r"-[ioe](?:0|L|\d+)", rest[0]):
                rest.pop(0)
        if not rest or rest[0].startswith("-"):
            return None
        current = tuple(rest)
    return None
