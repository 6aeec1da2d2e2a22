"""A program's output as the model gets it: what a terminal would show in the end, without what says nothing.

Deterministic. Lines that look like trouble are never dropped, wherever they stand; what is left out is counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from kram.base import Data, strip_ansi, visible

from .filter_profiles import Profile, is_routine, looks_like_trouble, profile_for

MAX_LINE_CHARS = 4_000
REPEATS_SHOWN = 3
MAX_TROUBLE_LINES = 200
_PERCENT = re.compile(r"\d ?%")
_SHARE = re.compile(r"(\d{1,3}(?:\.\d+)?) ?%")
_NUMBERS = re.compile(r"\d+(?:\.\d+)?")
_BAR = re.compile(r"[=#>█▓▒░━╸╺\s]+")


class Filtered(Data):
    """`hidden_lines` counts what was left out of the lines; the text says so where they were."""

    text: str
    hidden_lines: int = 0
    profile: str = "generic"


def filter_output(text: str, command: str = "") -> Filtered:
    """The output of a command, shortened by what is known about that command."""
    profile = profile_for(command)
    lines = [_shorter(line) for line in terminal_lines(text)]
    lines, routine = _without_routine(lines, profile)
    lines, repeats = _without_repeats(lines)
    lines, middle = _without_middle(lines, profile.max_lines)
    if routine:
        lines.append(f"[{routine} routine lines hidden]")
    return Filtered(text="\n".join(lines), hidden_lines=repeats + routine + middle, profile=profile.name)


def terminal_lines(text: str) -> list[str]:
    """The lines a terminal would show in the end: no colours, overwritten text gone, controls made visible."""
    text = strip_ansi(text).replace("\r\n", "\n")
    if "\r" in text or "\b" in text:
        text = "\n".join(_overwritten(line) for line in text.split("\n"))
    lines = visible(text).split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    return [line.rstrip() for line in lines]


def _overwritten(line: str) -> str:
    """The last state of a line that was rewritten from its start, or stepped back in."""
    states = [state for state in line.split("\r") if state.strip()]
    last = states[-1] if states else ""
    if "\b" not in last:
        return last
    shown: list[str] = []
    for character in last:
        if character != "\b":
            shown.append(character)
        elif shown:
            shown.pop()
    return "".join(shown)


def _without_repeats(lines: list[str]) -> tuple[list[str], int]:
    """Runs of one line, and of a progress display that takes a new line each time."""
    kept: list[str] = []
    hidden = 0
    for _, group in groupby(lines, key=_shape):
        run = list(group)
        if len(run) <= REPEATS_SHOWN or not (run.count(run[0]) == len(run) or _is_progress(run)):
            kept += run
            continue
        first, last = run[0], run[-1]
        between = len(run) - (1 if first == last else 2)
        kept.append(first)
        kept.append(f"[the same {between} more times]" if first == last else f"[{between} steps like this hidden]")
        if first != last:
            kept.append(last)
        hidden += between
    return kept, hidden


def _shape(line: str) -> str:
    """The line, or for a step of a progress display what all its steps have in common."""
    if not _PERCENT.search(line):
        return line
    return "%" + _BAR.sub("", _NUMBERS.sub("0", line))


def _is_progress(run: list[str]) -> bool:
    """Whether the percentages only ever rise, and nothing in between looks like trouble."""
    shares = [float(match.group(1)) for line in run if (match := _SHARE.search(line))]
    return shares == sorted(shares) and not any(looks_like_trouble(line) for line in run)


def _without_routine(lines: list[str], profile: Profile) -> tuple[list[str], int]:
    if not profile.routine:
        return lines, 0
    kept = [line for line in lines if not is_routine(line, profile)]
    hidden = len(lines) - len(kept)
    if hidden and not any(line.strip() for line in kept):
        # All went as it always goes: the last line says it best.
        return [lines[-1]], hidden - 1
    # A dropped line is no reason for two blank ones in a row.
    return (list(_single_blanks(kept)) if hidden else kept), hidden


def _single_blanks(lines: Iterable[str]) -> Iterator[str]:
    before = ""
    for line in lines:
        if line.strip() or before.strip():
            yield line
        before = line


def _without_middle(lines: list[str], max_lines: int) -> tuple[list[str], int]:
    """The first and the last half of `max_lines`, and from between what looks like trouble."""
    if len(lines) <= max_lines:
        return lines, 0
    head, tail = max_lines // 2, len(lines) - (max_lines - max_lines // 2)
    trouble = [index for index in range(head, tail) if looks_like_trouble(lines[index])]
    if len(trouble) > MAX_TROUBLE_LINES:
        trouble = trouble[: MAX_TROUBLE_LINES // 2] + trouble[-MAX_TROUBLE_LINES // 2 :]
    kept = lines[:head]
    before = head
    for index in [*trouble, tail]:
        if index > before:
            kept.append(_gap(index - before))
        kept += lines[index : index + 1] if index < tail else lines[tail:]
        before = index + 1
    return kept, tail - head - len(trouble)


def _gap(count: int) -> str:
    return f"[… {count} {'line' if count == 1 else 'lines'} hidden …]"


def _shorter(line: str) -> str:
    if len(line) <= MAX_LINE_CHARS:
        return line
    half = MAX_LINE_CHARS // 2
    return f"{line[:half]} [… {len(line) - MAX_LINE_CHARS} characters …] {line[-half:]}"
