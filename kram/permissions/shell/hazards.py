"""What makes an allowed program do more than its name says: options that run other programs, write files, or read lists."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from . import git, scripts
from .hazard_options import OPTIONS
from .options import found, operands
from .programs import base_name, is_interpreter, launched

_FIND = re.compile(r"-(?:exec|execdir|ok|okdir|delete|fprint0?|fprintf|fls|files0-from)")


def hazard(words: Sequence[str]) -> str:
    """Why these words need a person although their program is allowed, "" where nothing speaks against them."""
    at = 0
    for _ in range(4):
        if reason := _of(words[at:]):
            return reason
        inner = _inner(words[at:])
        if not inner:
            return ""
        at += inner
    return f"{words[0]} starts programs through programs"


def _of(words: Sequence[str]) -> str:
    name, arguments = words[0], words[1:]
    special = _SPECIAL.get(name)
    if special is not None and (reason := special(arguments)):
        return reason
    options = OPTIONS.get(base_name(name))
    word = found(arguments, options) if options is not None else ""
    return f"{name} with {word} can run a program, write a file or read a list of files" if word else ""


def _inner(words: Sequence[str]) -> int:
    """How many words further the program stands that an interpreter or launcher is told to run; 0 where there is none."""
    name = words[0]
    if is_interpreter(name) and "-m" in words[1:3]:
        at = words.index("-m") + 1
        return at if at < len(words) else 0
    taken = launched(words)
    return taken if len(words) > taken else 0


def _find(arguments: Sequence[str]) -> str:
    word = next((one for one in arguments if _FIND.match(one)), "")
    return f"find with {word} runs, deletes or writes" if word else ""


def _pytest(arguments: Sequence[str]) -> str:
    """`--co` is short for collecting only, not for a configuration folder."""
    word = found([one for one in arguments if one != "--co"], OPTIONS["pytest"])
    return f"pytest with {word} can load code or write a file" if word else ""


def _make(arguments: Sequence[str]) -> str:
    word = next((one for one in arguments if re.match(r"[\w.]+\s*[:+?!]?=", one)), "")
    return f"make with {word} changes what its recipes run" if word else ""


def _tar(arguments: Sequence[str]) -> str:
    """The old style has its options in the first word, without a dash."""
    first = arguments[0] if arguments else ""
    if first and not first.startswith("-") and re.search(r"[IFP]", first):
        return f"tar with {first} can run a program"
    return ""


def _second_operand(name: str, values: str) -> Callable[[Sequence[str]], str]:
    def check(arguments: Sequence[str]) -> str:
        given = list(operands(arguments, values))
        return f"{name} writes to {given[1]}" if len(given) > 1 else ""

    return check


def _date(arguments: Sequence[str]) -> str:
    word = next((one for one in operands(arguments, "drI") if not one.startswith("+")), "")
    return f"date with {word} sets the clock" if word else ""


def _printf(arguments: Sequence[str]) -> str:
    return "printf -v sets a variable" if arguments[:1] and arguments[0].startswith("-v") else ""


def _test(arguments: Sequence[str]) -> str:
    """A subscript in a variable's name is evaluated, and may run a command."""
    word = next((one for one in arguments if one in ("-v", "-R")), "")
    return f"test {word} evaluates what it is given" if word else ""


_SPECIAL: dict[str, Callable[[Sequence[str]], str]] = {
    "git": git.hazard,
    "find": _find,
    "pytest": _pytest,
    "py.test": _pytest,
    "make": _make,
    "gmake": _make,
    "tar": _tar,
    "uniq": _second_operand("uniq", "fsw"),
    "xxd": _second_operand("xxd", "cgloRs"),
    "date": _date,
    "printf": _printf,
    "test": _test,
    "[": _test,
    "sed": scripts.sed_hazard,
    "awk": scripts.awk_hazard,
    "gawk": scripts.awk_hazard,
    "mawk": scripts.awk_hazard,
    "hostname": lambda arguments: "hostname with a name sets it" if list(operands(arguments)) else "",
}
