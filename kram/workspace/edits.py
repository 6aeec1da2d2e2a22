"""Replacing text in a text: exact first, then looser ways of finding the place, each of them unique or refused.

Stages: exact; line ends and trailing space; typographic quotes, dashes and spaces; indentation. A looser stage replaces whole
lines only, and re-indents the new text as the found lines are. Several edits apply in order or not at all.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

from kram.base import Data

from .textfile import newline_of, with_newline

Loosen: TypeAlias = Callable[[str], str]

_TYPOGRAPHIC = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
        **dict.fromkeys("\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " "),
    }
)
NEAR_CHARS = 20_000


class Edit(Data):
    """Replace `old` by `new`; with `all` every exact occurrence."""

    old: str
    new: str
    all: bool = False


class EditRefused(Exception):
    """Why an edit was not made: what was wanted, what was found, what to try."""


class Edited(Data):
    """The new text, how many places changed, and how the places were found ("exact" or a looser stage)."""

    text: str
    count: int
    stages: tuple[str, ...]


def apply_edits(text: str, edits: Sequence[Edit]) -> Edited:
    """All edits in order on the result of the one before. Raises `EditRefused`, and then nothing was changed."""
    if not edits:
        raise EditRefused("No edit was given.")
    current, count, stages = text, 0, []
    for number, edit in enumerate(edits, start=1):
        try:
            current, places, stage = _apply(current, edit)
        except EditRefused as refusal:
            if len(edits) == 1:
                raise
            raise EditRefused(f"Edit {number} of {len(edits)}: {refusal} Nothing was changed.") from refusal
        count += places
        stages.append(stage)
    if current == text:
        raise EditRefused("The edits change nothing: the text after them is the text before.")
    return Edited(text=current, count=count, stages=tuple(stages))


def _apply(text: str, edit: Edit) -> tuple[str, int, str]:
    if not edit.old:
        raise EditRefused("old_string is empty. Give the text to replace; use write_file for a new file.")
    if edit.old == edit.new:
        raise EditRefused("old_string and new_string are the same.")
    if line := _omission(edit):
        raise EditRefused(f"new_string leaves code out ({line!r}). Write the whole new text; nothing is filled in.")
    newline = newline_of(text)
    if newline == "mixed" and (copies := _plain_ends(text).count(_plain_ends(edit.old))) > 1 and not edit.all:
        raise EditRefused(_many(_plain_ends(text), _plain_ends(edit.old), copies))
    for old in dict.fromkeys((edit.old, with_newline(edit.old, newline))):
        found = text.count(old)
        if found == 1 or (found and edit.all):
            new = edit.new if old == edit.old and "\n" not in edit.old + edit.new else with_newline(edit.new, newline)
            return text.replace(old, new), found, "exact"
        if found:
            raise EditRefused(_many(text, old, found))
    for name, loosen in (("trailing space", _no_trailing), ("typography", _plain), ("indentation", _no_indent)):
        spans = _line_spans(text, edit.old, loosen)
        if len(spans) == 1:
            return _replace_lines(text, spans[0], edit, re_indent=name == "indentation"), 1, name
        if spans:
            lines = ", ".join(str(text.count("\n", 0, start) + 1) for start, _ in spans[:8])
            raise EditRefused(
                f"old_string is not in the file exactly, and it matches {len(spans)} places but for {name} "
                f"(lines {lines}). Copy the text as it is in the file, with more lines around it."
            )
    raise EditRefused(_nothing(text, edit.old))


_OMISSION = re.compile(
    r"^\s*(?:#|//|/\*|<!--|--|;)?\s*\(?\s*(?:(?:\.\.\.|…)\s*)?(?:the\s+)?"
    r"(?:rest of|remaining|existing|unchanged|previous|other) [^\n]{0,60}(?:\.\.\.|…)\s*\)?\s*(?:\*/|-->)?\s*$",
    re.IGNORECASE | re.MULTILINE,
)


def _omission(edit: Edit) -> str:
    """A line of the new text that stands for code it leaves out, unless the old text says the same."""
    found = _OMISSION.search(edit.new)
    return found[0].strip() if found and found[0].strip() not in edit.old else ""


def _plain_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _no_trailing(line: str) -> str:
    return line.rstrip()


def _plain(line: str) -> str:
    return line.translate(_TYPOGRAPHIC).rstrip()


def _no_indent(line: str) -> str:
    return line.translate(_TYPOGRAPHIC).strip()


def _lines(text: str) -> list[tuple[int, int, str]]:
    """Start, end (with line end) and content of each line."""
    return [
        (match.start(), match.end(), match[1]) for match in re.finditer(r"([^\r\n]*)(\r\n|\n|\r|\Z)", text) if match[0]
    ]


def _line_spans(text: str, old: str, loosen: Loosen) -> list[tuple[int, int]]:
    """Runs of whole lines that equal the wanted lines once both are loosened."""
    wanted = [loosen(line) for _, _, line in _lines(old)]
    if not any(wanted):
        return []
    rows = _lines(text)
    loose = [loosen(line) for _, _, line in rows]
    spans = []
    first = wanted[0]
    for start in range(len(rows) - len(wanted) + 1):
        if loose[start] == first and loose[start : start + len(wanted)] == wanted:
            spans.append((rows[start][0], rows[start + len(wanted) - 1][1]))
    return spans


def _replace_lines(text: str, span: tuple[int, int], edit: Edit, *, re_indent: bool) -> str:
    found = text[span[0] : span[1]]
    new = edit.new
    if re_indent:
        new = _re_indented(new, edit.old, found)
    new = with_newline(new, newline_of(text))
    ending = re.search(r"(\r\n|\n|\r)\Z", found)
    if ending and new and not new.endswith(("\n", "\r")):
        new += ending[0]
    if not ending:
        new = new.rstrip("\r\n")
    return text[: span[0]] + new + text[span[1] :]


def _re_indented(new: str, old: str, found: str) -> str:
    """The new text, moved by as much as the found lines stand away from the wanted ones."""
    wanted_indent, found_indent = _first_indent(old), _first_indent(found)
    if wanted_indent == found_indent:
        return new
    rows = []
    for _, _, line in _lines(new):
        if not line.strip():
            rows.append(line)
        elif line.startswith(wanted_indent):
            rows.append(found_indent + line[len(wanted_indent) :])
        else:
            rows.append(found_indent + line.lstrip())
    return "\n".join(rows) + ("\n" if new.endswith("\n") else "")


def _first_indent(text: str) -> str:
    for _, _, line in _lines(text):
        if line.strip():
            return line[: len(line) - len(line.lstrip())]
    return ""


def _many(text: str, old: str, found: int) -> str:
    lines: list[str] = []
    position = -1
    while len(lines) < 8 and (position := text.find(old, position + 1)) >= 0:
        lines.append(str(text.count("\n", 0, position) + 1))
    return (
        f"old_string occurs {found} times (lines {', '.join(lines)}). Add lines around it until it is unique, "
        "or set replace_all."
    )


def _nothing(text: str, old: str) -> str:
    message = "old_string was not found."
    if near := nearest(text, old):
        number, passage = near
        shown = "\n".join(f"{number + offset}\t{line}" for offset, line in enumerate(passage))
        return f"{message} The nearest text in the file is:\n{shown}\nCopy it exactly as it is there."
    return f"{message} Nothing in the file resembles it; read the file again."


def nearest(text: str, old: str) -> tuple[int, list[str]] | None:
    """The passage of a text that is most like the wanted one, with its line number; None where nothing is alike."""
    rows = [line for _, _, line in _lines(text)]
    wanted = [line for _, _, line in _lines(old)]
    anchors = sorted((line.strip() for line in wanted if line.strip()), key=len, reverse=True)
    if not anchors or not rows:
        return None
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(anchors[0][:400])
    best, place = 0.0, 0
    for number, line in enumerate(rows[:NEAR_CHARS]):
        matcher.set_seq1(line.strip()[:400])
        if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best and (ratio := matcher.ratio()) > best:
            best, place = ratio, number
    if best < 0.5:
        return None
    offset = next(index for index, line in enumerate(wanted) if line.strip() == anchors[0])
    start = max(0, place - offset)
    return start + 1, rows[start : start + min(max(len(wanted), 3), 12)]
