"""The todo list as text: one line an item, `[ ]` open, `[~]` at work, `[x]` done."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from kram.base import one_line
from kram.events import Todo

MARKS: Mapping[str, str] = MappingProxyType({"pending": "[ ]", "in_progress": "[~]", "completed": "[x]"})
ITEM_CHARS = 500


def todo_text(todos: Iterable[Todo]) -> str:
    return "\n".join(f"{MARKS[todo.status]} {one_line(todo.content, ITEM_CHARS)}" for todo in todos) or "(no todos)"
