"""The panel of background processes: the list, and the end of one's output."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from kram.base import one_line, visible
from kram.workspace import ProcessInfo

TAIL_CHARS = 4000


def processes_content(processes: Sequence[ProcessInfo], shown: str, output: str) -> Content:
    """`shown` is the id of the process whose output this is."""
    if not processes:
        return Content("No background process.")
    rows: list[Content] = []
    for one in processes:
        color = "$success" if one.state == "running" else "$foreground 60%"
        code = "" if one.exit_code is None else f" ({one.exit_code})"
        mark = "▸ " if one.id == shown else "  "
        rows.append(Content.assemble((f"{mark}{one.id} {one.state}{code} ", color), one_line(one.command, 60)))
    rows += [Content(""), Content.styled(f"{shown}:", "bold"), Content(visible(output[-TAIL_CHARS:]))]
    hint = (
        "/processes kill ID ends one" if len(processes) == 1 else "Alt+Up/Down: another · /processes kill ID ends one"
    )
    rows += [Content(""), Content.styled(hint, "$foreground 40%")]
    return Content("\n").join(rows)
