"""The todo panel."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from kram.base import visible
from kram.events import Todo


def todos_content(todos: Sequence[Todo]) -> Content:
    marks = {"pending": ("[ ]", "$foreground"), "in_progress": ("[~]", "$accent"), "completed": ("[x]", "$success")}
    rows = [Content.assemble((f"{marks[one.status][0]} ", marks[one.status][1]), visible(one.content)) for one in todos]
    return Content("\n").join(rows) if rows else Content("The todo list is empty.")
