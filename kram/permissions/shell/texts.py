"""Which words of a command are text and not paths: search patterns, scripts, messages. Only where it is certain."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .scripts import awk_program, sed_script

_GREP_VALUES = "ABCmdDef"
_RG_VALUES = "ABCEefgjMmrtTd"
_FLAGS = frozenset({
    "ignore-case", "line-number", "recursive", "files-with-matches", "files-without-match", "count", "word-regexp",
    "line-regexp", "invert-match", "extended-regexp", "fixed-strings", "perl-regexp", "basic-regexp", "only-matching", "quiet",
    "silent", "no-messages", "no-filename", "with-filename", "null", "text", "binary", "color", "colour", "hidden", "no-ignore",
    "smart-case", "case-sensitive", "files", "multiline", "pcre2", "heading", "no-heading", "column", "vimgrep", "json", "stats",
    "follow", "unrestricted", "trim", "sort-files", "no-line-number", "untracked", "cached",
})  # fmt: skip


def text_words(words: Sequence[str]) -> frozenset[int]:
    """The places of words that name no path."""
    name = words[0]
    if name in ("grep", "egrep", "fgrep"):
        return _pattern(words, 1, _GREP_VALUES)
    if name == "rg":
        return _pattern(words, 1, _RG_VALUES)
    if tuple(words[:2]) == ("git", "grep"):
        return _pattern(words, 2, _GREP_VALUES)
    if tuple(words[:2]) == ("git", "commit"):
        return _messages(words)
    if name == "sed":
        found = sed_script(words[1:])
        return _places(words, found[0]) if found else frozenset()
    if name in ("awk", "gawk", "mawk"):
        program = awk_program(words[1:])
        return _places(words, [program[0]]) if program else frozenset()
    return frozenset()


def _places(words: Sequence[str], texts: Sequence[str]) -> frozenset[int]:
    """The first place of each; a file of the very same name later on is still looked at."""
    return frozenset(words.index(text, 1) for text in texts if text in words[1:])


def _pattern(words: Sequence[str], start: int, values: str) -> frozenset[int]:
    """The pattern of a search: after -e, or else the first word that is no option."""
    texts: set[int] = set()
    first, given, skip = -1, False, ""
    for at in range(start, len(words)):
        word = words[at]
        if skip:
            if skip == "e":
                texts.add(at)
            skip = ""
        elif word == "--" and first < 0:
            first = at + 1
            break
        elif word.startswith("--"):
            name, _, value = word[2:].partition("=")
            given = given or name in ("regexp", "file")
            if not value and name not in _FLAGS:
                return frozenset()
        elif word.startswith("-") and len(word) > 1:
            place = next((n for n, letter in enumerate(word) if n and letter in values), 0)
            if place:
                given = given or word[place] in "ef"
                skip = word[place] if place == len(word) - 1 else ""
        elif first < 0:
            first = at
    if not given and 0 <= first < len(words):
        texts.add(first)
    return frozenset(texts)


def _messages(words: Sequence[str]) -> frozenset[int]:
    """What follows -m, also at the end of a cluster like -am."""
    return frozenset(
        at + 1 for at, word in enumerate(words[:-1]) if word == "--message" or re.fullmatch(r"-[avqns]*m", word)
    )
