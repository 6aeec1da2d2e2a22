"""Every key of the interface, with an id and what it does; `[ui.keymap]` changes any of them. Help is made from this list."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from textual.binding import Binding

from kram.base import Data, UsageError


class Key(Data):
    """`keys` as Textual names them, several separated by commas."""

    id: str
    keys: str
    action: str
    text: str
    group: str = "session"


KEYS: tuple[Key, ...] = (
    Key(id="app.stop", keys="escape", action="stop", text="stop the turn; in a dialog the safe answer"),
    Key(
        id="app.clear-or-quit",
        keys="ctrl+c",
        action="clear_or_quit",
        text="clear the prompt, stop the turn, twice to quit",
    ),
    Key(id="app.quit", keys="ctrl+d", action="quit_if_empty", text="quit, on an empty prompt"),
    Key(id="app.mode", keys="shift+tab", action="cycle_mode", text="next permission mode"),
    Key(id="app.fold", keys="ctrl+o", action="toggle_output", text="unfold or fold tool output"),
    Key(id="app.todos", keys="ctrl+t", action="todos", text="todo list"),
    Key(id="app.processes", keys="ctrl+b,f4", action="panel('processes')", text="background processes"),
    Key(id="app.editor", keys="ctrl+g", action="editor", text="write the prompt in $EDITOR"),
    Key(id="app.redraw", keys="ctrl+l", action="redraw", text="redraw the screen"),
    Key(id="app.palette", keys="ctrl+p", action="palette", text="all commands"),
    Key(id="app.context", keys="f2", action="workbench", text="context workbench: what fills the window"),
    Key(id="app.route", keys="f3", action="panel('route')", text="route of the turn"),
    Key(id="app.strategy", keys="f5", action="panel('strategy')", text="strategy panel: the router's scores"),
    Key(id="app.panel-up", keys="alt+up", action="panel_step(-1)", text="in a panel: the one before"),
    Key(id="app.panel-down", keys="alt+down", action="panel_step(1)", text="in a panel: the next one"),
    Key(id="app.panel-scroll-up", keys="alt+pageup", action="panel_scroll(-1)", text="scroll the panel up"),
    Key(id="app.panel-scroll-down", keys="alt+pagedown", action="panel_scroll(1)", text="scroll the panel down"),
    Key(id="app.scroll-up", keys="pageup", action="page_up", text="scroll up"),
    Key(id="app.scroll-down", keys="pagedown", action="page_down", text="scroll down"),
    Key(id="app.top", keys="ctrl+home", action="scroll_home", text="to the first line"),
    Key(id="app.end", keys="ctrl+end", action="scroll_end", text="to the last line"),
)

PROMPT_KEYS: tuple[tuple[str, str], ...] = (
    ("Enter", "send; while a turn runs: join at the next model call"),
    ("Alt+Enter, Tab", "while a turn runs: send when it is over"),
    ("Shift+Enter, Ctrl+J, \\+Enter", "new line"),
    ("Up, Down", "earlier prompts"),
    ("Tab", "on an empty prompt: into the conversation (↑ ↓ block, Enter fold, y copy, o whole output, Esc back)"),
    ("Ctrl+R", "search earlier prompts"),
    ("/  @  !  #  ?", "command, file, shell, memory, this list"),
    ("y a n e d", "in an approval: once, always, deny, edit, whole diff"),
)


def bindings(changes: Mapping[str, str]) -> list[Binding]:
    """The app's bindings after the person's changes. Raises `UsageError` for an id that does not exist."""
    known = {key.id for key in KEYS}
    for name in changes:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.3)
            hint = f"Did you mean '{near[0]}'?" if near else ""
            raise UsageError(f"[ui.keymap] names '{name}', which is no binding", todo=hint)
    return [
        Binding(one, key.action, key.text, show=False, id=key.id, priority=True)
        for key in KEYS
        for one in changes.get(key.id, key.keys).split(",")
    ]


def rows() -> list[tuple[str, str]]:
    """Keys and what they do, for help."""
    return [*PROMPT_KEYS, *((key.keys.replace(",", ", "), key.text) for key in KEYS)]
