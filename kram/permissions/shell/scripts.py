"""Small languages on the command line, sed and awk: recognised where they can only transform text."""

from __future__ import annotations

import re
from collections.abc import Sequence

_SED_ADDRESS = r"(?:\d+(?:~\d+)?|\$|/(?:[^/\\\n]|\\.)*/[IM]?)"
_SED_RANGE = rf"(?:{_SED_ADDRESS}(?:,[ ]*(?:[+~]?\d+|{_SED_ADDRESS}))?[ ]*!?[ ]*)?"
_SED_REPLACE = "|".join(
    rf"s{mark}(?:[^{mark}\\\n]|\\.)*{mark}(?:[^{mark}\\\n]|\\.)*{mark}[gpiI0-9]*"
    for mark in ("/", r"\|", "#", ",", ":", "@")
)
_SED_COMMAND = rf"{_SED_RANGE}(?:[pdqQ=lnNDPhHgGxF]|{_SED_REPLACE}|q\d+)"
_SED = re.compile(rf"[\s;]*(?:{_SED_COMMAND}[ ]*(?:[;\n]\s*|$))+")
_SED_OPTIONS = re.compile(r"-[nErsuz]+|--(?:quiet|silent|regexp-extended|separate|unbuffered|null-data|posix|debug)")
_AWK_WORDS = re.compile(r"[|>@`]|\b(?:system|getline|close|fflush|load|include|namespace|extension)\b")


def sed_script(arguments: Sequence[str]) -> tuple[list[str], list[str]] | None:
    """The scripts and the files of a sed command; None where an option is not one of the harmless ones."""
    texts: list[str] = []
    rest: list[str] = []
    words = list(arguments)
    while words:
        word = words.pop(0)
        if word == "--":
            rest += words
            break
        if word in ("-e", "--expression", "-ne") and words:
            texts.append(words.pop(0))
        elif word.startswith("--expression="):
            texts.append(word.partition("=")[2])
        elif word.startswith("-") and word != "-":
            if not _SED_OPTIONS.fullmatch(word):
                return None
        else:
            rest.append(word)
    if not texts and rest:
        texts.append(rest.pop(0))
    return texts, rest


def sed_hazard(arguments: Sequence[str]) -> str:
    found = sed_script(arguments)
    if found is None:
        return "sed with an option that may write files or read scripts"
    if not found[0] or any(not _SED.fullmatch(text) for text in found[0]):
        return "a sed script that may run a program or write a file"
    return ""


def awk_program(arguments: Sequence[str]) -> tuple[str, list[str]] | None:
    """The program and the files of an awk command; None where an option is not one of the harmless ones."""
    words = list(arguments)
    while words and words[0].startswith("-") and words[0] != "-":
        word = words.pop(0)
        if word == "--":
            break
        if word in ("-F", "-v"):
            if not words:
                return None
            words.pop(0)
        elif not re.match(r"-[Fv].", word):
            return None
    return (words[0], words[1:]) if words else None


def awk_hazard(arguments: Sequence[str]) -> str:
    found = awk_program(arguments)
    if found is None:
        return "awk with an option that may load or write files"
    if _AWK_WORDS.search(found[0]):
        return "an awk program that may run a program or write a file"
    return ""
