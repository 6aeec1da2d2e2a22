"""What an empty session shows: the name, where it runs, who answers, three hints."""

from __future__ import annotations

from collections.abc import Sequence

from textual.color import Color
from textual.content import Content

from kram.base import one_line

NAME = "K R A M"
GRADIENT = ("#7842ff", "#4671ff", "#02ecff")


def welcome(folder: str, model: str, missing: Sequence[str], notes: Sequence[str]) -> Content:
    """`missing` replaces the hints where nobody can answer."""
    rows: list[Content] = [wordmark(), Content("")]
    rows.append(Content.assemble(("in  ", "$foreground 50%"), one_line(folder, 100)))
    if model:
        rows.append(Content.assemble(("with ", "$foreground 50%"), one_line(model, 100)))
    rows.append(Content(""))
    if missing:
        rows.append(Content.styled("No model can answer yet:", "$warning"))
        rows += [Content(f"  · {sentence}") for sentence in missing]
        rows.append(Content("  · `kram demo` shows how it works without any"))
    else:
        hints = (
            "/ commands   @ files   ! shell   ? keys",
            "Shift+Tab changes what needs your approval",
            "Esc stops a turn; nothing is lost",
        )
        rows += [Content.styled(hint, "$foreground 60%") for hint in hints]
    rows += [Content.styled(note, "$warning") for note in notes]
    return Content("\n").join(rows)


def wordmark() -> Content:
    """The name in a run of colours."""
    stops = [Color.parse(color) for color in GRADIENT]
    parts: list[Content] = []
    for place, letter in enumerate(NAME):
        at = place / (len(NAME) - 1) * (len(stops) - 1)
        index = min(int(at), len(stops) - 2)
        color = stops[index].blend(stops[index + 1], at - index)
        parts.append(Content.styled(letter, f"bold {color.hex}"))
    return Content("").join(parts)
