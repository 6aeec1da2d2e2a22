"""Slash commands of the interface: what only a screen can do. Everything else is the session's own (`kram.runtime`)."""

from __future__ import annotations

import difflib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from kram.base import UsageError
from kram.runtime import Runtime, init_message


class Desk(Protocol):
    """What a command may ask of the screen it was typed on."""

    @property
    def runtime(self) -> Runtime: ...
    async def pick_model(self) -> None: ...
    async def pick_session(self) -> None: ...
    async def pick_theme(self, name: str) -> str: ...
    async def pick_tools(self) -> None: ...
    async def review_compaction(self, focus: str) -> str: ...
    async def show_checks(self) -> None: ...
    def copy_last(self) -> str: ...
    def leave(self) -> None: ...
    def open_editor(self) -> None: ...
    def open_panel(self, name: str) -> None: ...
    async def review_trust(self) -> str: ...
    def say(self, text: str) -> None: ...
    def retry(self) -> None: ...
    async def show_artifacts(self) -> None: ...
    async def show_memory(self) -> None: ...
    def show_help(self) -> None: ...
    def show_prompt(self) -> None: ...
    def show_workbench(self) -> None: ...
    def toggle_plan(self) -> str: ...


Run: TypeAlias = Callable[[Desk, str], Awaitable[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class UiCommand:
    """`without_arguments`: the session's own command of that name answers when arguments are given."""

    name: str
    summary: str
    run: Run
    usage: str = ""
    without_arguments: bool = False


async def _doctor(desk: Desk, args: str) -> str:
    await desk.show_checks()
    return ""


async def _help(desk: Desk, args: str) -> str:
    desk.show_help()
    return ""


async def _quit(desk: Desk, args: str) -> str:
    desk.leave()
    return ""


async def _model(desk: Desk, args: str) -> str:
    await desk.pick_model()
    return ""


async def _resume(desk: Desk, args: str) -> str:
    await desk.pick_session()
    return ""


async def _tools(desk: Desk, args: str) -> str:
    await desk.pick_tools()
    return ""


async def _context(desk: Desk, args: str) -> str:
    if args == "prompt":
        desk.show_prompt()
    elif args == "panel":
        desk.open_panel("context")
    elif args == "exact":
        return await desk.runtime.commands["context"].run(desk.runtime, args)
    elif args:
        raise UsageError(f"Cannot show '{args}'", todo="/context, or with prompt, panel or exact behind it")
    else:
        desk.show_workbench()
    return ""


async def _compact(desk: Desk, args: str) -> str:
    return await desk.review_compaction(args)


async def _strategy(desk: Desk, args: str) -> str:
    desk.open_panel("strategy")
    return ""


async def _route(desk: Desk, args: str) -> str:
    desk.open_panel("route")
    return ""


async def _processes(desk: Desk, args: str) -> str:
    desk.open_panel("processes")
    return ""


async def _todo(desk: Desk, args: str) -> str:
    desk.open_panel("todos")
    return ""


async def _artifacts(desk: Desk, args: str) -> str:
    await desk.show_artifacts()
    return ""


async def _init(desk: Desk, args: str) -> str:
    desk.say(await init_message(desk.runtime, args))
    return ""


async def _memory(desk: Desk, args: str) -> str:
    await desk.show_memory()
    return ""


async def _copy(desk: Desk, args: str) -> str:
    return desk.copy_last()


async def _editor(desk: Desk, args: str) -> str:
    desk.open_editor()
    return ""


async def _theme(desk: Desk, args: str) -> str:
    return await desk.pick_theme(args)


async def _plan(desk: Desk, args: str) -> str:
    return desk.toggle_plan()


async def _trust(desk: Desk, args: str) -> str:
    return await desk.review_trust()


async def _retry(desk: Desk, args: str) -> str:
    desk.retry()
    return ""


UI_COMMANDS: dict[str, UiCommand] = {
    command.name: command
    for command in (
        UiCommand(name="help", summary="Commands and keys", run=_help),
        UiCommand(name="keys", summary="The keys", run=_help),
        UiCommand(name="quit", summary="Leave kram", run=_quit),
        UiCommand(name="exit", summary="Leave kram", run=_quit),
        UiCommand(name="model", usage="[name]", summary="Choose who answers", run=_model, without_arguments=True),
        UiCommand(name="combo", usage="[name]", summary="Choose a combo", run=_model, without_arguments=True),
        UiCommand(name="resume", usage="[id]", summary="Open another session", run=_resume, without_arguments=True),
        UiCommand(
            name="tools", usage="[on|off name]", summary="Switch tools on and off", run=_tools, without_arguments=True
        ),
        UiCommand(
            name="compact", usage="[focus]", summary="Summarise the older part, after a look at the draft", run=_compact
        ),
        UiCommand(
            name="context",
            usage="[prompt|panel|exact]",
            summary="What fills the window, to drop, pin, shorten",
            run=_context,
        ),
        UiCommand(
            name="strategy",
            usage="[name]",
            summary="How the combo is routed, with scores",
            run=_strategy,
            without_arguments=True,
        ),
        UiCommand(name="route", summary="Which model was tried, and why", run=_route),
        UiCommand(
            name="processes", usage="[kill id]", summary="Background processes", run=_processes, without_arguments=True
        ),
        UiCommand(name="todo", summary="The todo list", run=_todo),
        UiCommand(
            name="artifacts",
            usage="[all|id]",
            summary="Long outputs that were kept",
            run=_artifacts,
            without_arguments=True,
        ),
        UiCommand(name="init", usage="[wish]", summary="Write a first AGENTS.md for this project", run=_init),
        UiCommand(
            name="memory",
            usage="[add|edit|pin|remove …]",
            summary="What is remembered for later sessions",
            run=_memory,
            without_arguments=True,
        ),
        UiCommand(name="doctor", summary="Whether everything kram needs is in order", run=_doctor),
        UiCommand(name="copy", summary="Copy the last answer", run=_copy),
        UiCommand(name="editor", summary="Write the prompt in $EDITOR", run=_editor),
        UiCommand(name="theme", usage="[name]", summary="Change the colours", run=_theme),
        UiCommand(name="plan", summary="Plan mode on and off", run=_plan),
        UiCommand(name="trust", summary="What this project brings, and whether you trust it", run=_trust),
        UiCommand(name="retry", summary="Send the last message again", run=_retry),
    )
}


def all_commands(runtime: Runtime) -> list[tuple[str, str, str]]:
    """Name, usage and summary of every command, by name."""
    session = {name: (one.usage, one.summary) for name, one in runtime.commands.items()}
    screen = {name: (one.usage, one.summary) for name, one in UI_COMMANDS.items()}
    return [(name, usage, summary) for name, (usage, summary) in sorted({**session, **screen}.items())]


async def run_command(desk: Desk, line: str) -> str:
    """Runs `/name args` and returns what to show. Raises `UsageError`, with the closest name for an unknown one."""
    name, _, args = line.removeprefix("/").partition(" ")
    args = args.strip()
    own = UI_COMMANDS.get(name)
    if own is not None and not (own.without_arguments and args):
        return await own.run(desk, args)
    command = desk.runtime.commands.get(name)
    if command is not None:
        return await command.run(desk.runtime, args)
    known = {*UI_COMMANDS, *desk.runtime.commands}
    near = difflib.get_close_matches(name, known, n=1)
    raise UsageError(f"There is no command /{name}", todo=f"Did you mean /{near[0]}?" if near else "/help lists them")
