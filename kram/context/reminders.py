"""Reminders of the runtime: what the model should not lose sight of. They ride on one request and are never stored.

Each has a rule of its own here, as a pure function; who counts and remembers is `kram.agent.reminding`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kram.base import one_line, visible
from kram.events import Todo
from kram.messages import Entry, Kind

TODO_EVERY = 10
"""Answers of the assistant since the list was written, and since the last reminder of it."""
PLAN_EVERY = 10
TODO_CHARS = 500
SHOWN_FILES = 20

_MARKS = {"pending": "[ ]", "in_progress": "[~]", "completed": "[x]"}
"""How the results of the todo tools mark a status."""

TAG_OPEN, TAG_CLOSE = "<system-reminder>", "</system-reminder>"
TODO_LEAD = "This is the todo list as it stands. Keep it true with todo_write; do not mention this reminder."
TODO_STATE_LEAD = "The todo list of this work:"
PLAN = (
    "Plan mode is on: look and think, change nothing. Tools that write, run commands with effects or reach the network are "
    "refused. Present a plan; the person switches the mode when they agree."
)
PLAN_OVER = "Plan mode is off: what was planned may now be done, as far as the person agreed to it."
FILES_LEAD = "These files changed on disk since you last read them. Read again what you rely on:"


def reminder(text: str) -> str:
    """The envelope in which a reminder travels."""
    return f"{TAG_OPEN}\n{text}\n{TAG_CLOSE}"


def todo_lines(todos: Iterable[Todo]) -> str:
    """`N. [status] content`, a line each."""
    rows = enumerate(todos, start=1)
    return "\n".join(f"{number}. [{todo.status}] {one_line(todo.content, TODO_CHARS)}" for number, todo in rows)


def todo_reminder(todos: Sequence[Todo]) -> str:
    return f"{TODO_LEAD}\n{todo_lines(todos)}"


def is_todo_reminder(text: str) -> bool:
    """Whether a text is a reminder of the todo list, in its envelope."""
    return text.startswith(f"{TAG_OPEN}\n{TODO_LEAD}")


def todo_due(
    entries: Sequence[Entry], todos: Sequence[Todo], *, last_reminder: str = "", every: int = TODO_EVERY
) -> bool:
    """Whether the list is to be brought to mind: it holds something, was not written for `every` answers, and not
    mentioned for as many. `last_reminder` is the id of the newest entry at that time."""
    if not todos:
        return False
    written = max(
        (at for at, one in enumerate(entries) if one.kind == Kind.TOOL_CALL and one.tool_name == "todo_write"),
        default=-1,
    )
    reminded = next((at for at, one in enumerate(entries) if one.id == last_reminder), -1)
    return answers(entries[max(written, reminded) + 1 :]) >= every


def answers(entries: Sequence[Entry]) -> int:
    """How many answers of the assistant there are; one with its calls counts once."""
    count = 0
    inside = False
    for one in entries:
        if one.kind in (Kind.ASSISTANT, Kind.TOOL_CALL):
            count += not inside
            inside = True
        elif one.kind != Kind.NOTIFICATION:
            inside = False
    return count


def todo_missing(todos: Sequence[Todo], entries: Sequence[Entry]) -> bool:
    """Whether the list as it is now cannot be read in what is sent: compacted away, or cut."""
    if not todos:
        return False
    rows = [f"{_MARKS[todo.status]} {one_line(todo.content, TODO_CHARS)}" for todo in todos]
    for one in reversed(entries):
        if one.kind == Kind.COMPACTION and todo_lines(todos) in one.content:
            return False
        if one.kind == Kind.TOOL_RESULT and one.tool_name in ("todo_write", "todo_read"):
            return not all(row in one.content for row in rows)
    return True


def changed_files(paths: Sequence[str]) -> str:
    """A reminder of files that are not as they were read; "" where there are none."""
    if not paths:
        return ""
    rows = [f"- {visible(path, keep_newlines=False)}" for path in paths[:SHOWN_FILES]]
    if len(paths) > SHOWN_FILES:
        rows.append(f"- and {len(paths) - SHOWN_FILES} more")
    return "\n".join([FILES_LEAD, *rows])
