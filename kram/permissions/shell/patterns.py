"""Rule patterns over the words of a command: `git status`, `rm -rf *`, `curl*`. Never over the raw text.

Without a star: exactly those words. A separate final star: any further words. A star glued to the last word: that word and
any further ones. Read narrowly for allow; read widely for deny and ask, where a glued star also covers longer words and
flags count in any order, spelling and place.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal

from kram.base import Data

_LONG = {
    "r": "recursive", "R": "recursive", "f": "force", "v": "verbose", "i": "interactive", "n": "dry-run", "q": "quiet",
    "d": "delete", "u": "set-upstream", "a": "all", "y": "yes", "g": "global", "o": "output",
}  # fmt: skip


class Pattern(Data):
    """`words` without the final star; `star` how that one stands."""

    words: tuple[str, ...]
    star: Literal["", "apart", "glued"] = ""

    @property
    def any_call(self) -> bool:
        return self.star != "" and not any(self.words)


@lru_cache(maxsize=4096)
def pattern_of(text: str) -> Pattern:
    """Raises `ValueError` for an open quote or a star where none can stand."""
    words = shlex.split(text)
    if not words:
        return Pattern(words=(), star="apart")
    star: Literal["", "apart", "glued"] = ""
    if words[-1] == "*":
        words, star = words[:-1], "apart"
    elif words[-1].endswith("*"):
        words, star = [*words[:-1], words[-1][:-1]], "glued"
    if any("*" in word and word != "*" for word in words):
        raise ValueError("a star may stand alone, or at the very end")
    return Pattern(words=tuple(words), star=star)


def covers(pattern: Pattern, words: Sequence[str]) -> bool:
    """The narrow reading. A star in the middle is exactly one word that is no option."""
    wanted = pattern.words
    if len(words) < len(wanted) or (not pattern.star and len(words) > len(wanted)):
        return False
    return all(
        word == want or (want == "*" and word != "" and not word.startswith("-"))
        for word, want in zip(words, wanted, strict=False)
    )


def touches(pattern: Pattern, words: Sequence[str]) -> bool:
    """The wide reading: what the pattern could mean."""
    wanted = pattern.words
    if not wanted or not words:
        return pattern.any_call
    if "*" in wanted:
        return _scattered(list(wanted), list(words), pattern.star)
    *front, last = wanted
    if pattern.star == "glued":
        return _touches_glued(front, last, words)
    if not _begins(words, wanted):
        return False
    # Exact words: no more of them that are not options.
    return pattern.star == "apart" or len(_plain(words)) <= len(_plain(wanted))


def _touches_glued(front: list[str], stem: str, words: Sequence[str]) -> bool:
    if not front:
        return words[0].startswith(stem)
    if stem.startswith("-"):
        found = any(word.startswith(stem) for word in words[1:]) or _has_flags(words, [stem])
        return found and _begins(words, front)
    if not _begins(words, front):
        return False
    wanted = len(_plain(front))
    return any(word.startswith(stem) for word in _reachable(words, wanted))


def _begins(words: Sequence[str], front: Sequence[str]) -> bool:
    """The name is the same, the plain words come in the same order, and every wanted flag is there somewhere."""
    if words[0] != front[0] or not _has_flags(words, [one for one in front[1:] if one.startswith("-")]):
        return False
    wanted = _plain(front)[1:]
    return all(want in _reachable(words, place + 1) for place, want in enumerate(wanted))


def _reachable(words: Sequence[str], place: int) -> Iterator[str]:
    """The words that may be the plain word number `place`: an option's value may or may not be one of them."""
    least = most = 0
    after_option = False
    for word in words:
        if word.startswith("-") and word != "-":
            after_option = True
            continue
        most += 1
        least += 0 if after_option else 1
        after_option = False
        if least - 1 <= place <= most - 1:
            yield word
        if least - 1 > place:
            return


def _plain(words: Sequence[str]) -> list[str]:
    return [word for word in words if not word.startswith("-") or word == "-"]


def _has_flags(words: Sequence[str], wanted: Sequence[str]) -> bool:
    if not wanted:
        return True
    given = {flag for word in words[1:] for flag in _flags(word)}
    abbreviations = {flag for flag in given if len(flag) > 1}
    for option in wanted:
        if option in words:
            continue
        for flag in _flags(option):
            if flag not in given and not any(flag.startswith(one) for one in abbreviations):
                return False
    return True


def _flags(word: str) -> Iterator[str]:
    """The letters of a cluster under their usual long names; a long flag as it is."""
    if word.startswith("--"):
        if name := word[2:].partition("=")[0]:
            yield name
    elif word.startswith("-"):
        for letter in word[1:].partition("=")[0]:
            yield _LONG.get(letter, letter)


def _scattered(wanted: list[str], words: list[str], star: str) -> bool:
    """With stars in the middle, each for any number of words."""
    shape = "".join("(?:[^\0]*\0)*" if one == "*" else re.escape(one) + "\0" for one in wanted[:-1])
    last = wanted[-1]
    if last == "*":
        shape += "(?:[^\0]*\0)*"
    else:
        shape += re.escape(last) + ("[^\0]*\0" if star == "glued" else "\0")
    # With several stars a match may take long; the words are few there, and many words are refused before.
    return re.fullmatch(shape + ("(?:[^\0]*\0)*" if star else ""), "".join(f"{word}\0" for word in words)) is not None
