"""Options as programs read them: clusters of letters, long names and their abbreviations, values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kram.base import Data


class Options(Data):
    """Letters and long names to look for. `values`: letters that take the rest of a cluster, or the next word, as value.

    `words`: whole words to look for, by prefix. `plus`: words with a leading + count too.
    """

    letters: str = ""
    long: tuple[str, ...] = ()
    values: str = ""
    words: tuple[str, ...] = ()


def found(arguments: Sequence[str], wanted: Options, *, ends: bool = True) -> str:
    """The first word among `arguments` that uses one of the wanted options; "" for none. `ends`: `--` ends options."""
    for word in arguments:
        if ends and word == "--":
            return ""
        if any(word.startswith(one) for one in wanted.words):
            return word
        if word.startswith("--"):
            name = word[2:].partition("=")[0]
            if name and any(one.startswith(name) for one in wanted.long):
                return word
        elif word.startswith("-") and _in_cluster(word, wanted):
            return word
    return ""


def _in_cluster(word: str, wanted: Options) -> bool:
    for letter in word[1:]:
        if letter in wanted.letters:
            return True
        if letter in wanted.values or letter == "=":
            return False
    return False


def operands(arguments: Sequence[str], values: str = "", long_values: Sequence[str] = ()) -> Iterator[str]:
    """The words that are neither options nor values of options."""
    expects, ended = False, False
    for word in arguments:
        if expects:
            expects = False
        elif ended or not word.startswith("-") or word == "-":
            yield word
        elif word == "--":
            ended = True
        elif word.startswith("--"):
            expects = "=" not in word and word[2:] in long_values
        else:
            place = next((at for at, letter in enumerate(word) if at and letter in values), 0)
            expects = bool(place) and place == len(word) - 1
