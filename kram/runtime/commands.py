"""Slash commands that act on the session, as objects: every front end has them. `run` returns the text to show.

What only a screen can do (pickers, panels, themes) belongs to the front end; a command here always has a plain answer.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias, get_args

from kram.agent import Inspection
from kram.base import UsageError
from kram.config import Combo
from kram.events import ContextReport, Todo
from kram.messages import Usage
from kram.permissions import Mode
from kram.sessions import SessionInfo
from kram.workspace import Processes

from .artifact_commands import Keeping, artifacts_command
from .choices import ModelChoice, ToolInfo
from .doctor import Finding, told
from .init_command import Initiable, init_command
from .memory_commands import USAGE, Remembering, memory_command
from .route_commands import Routed, route_command, strategy_command
from .transfer_commands import Transferring, export_command, import_command

MODES: tuple[Mode, ...] = get_args(Mode)


class Session(Routed, Remembering, Initiable, Transferring, Keeping, Protocol):
    """The part of the runtime that commands use."""

    @property
    def session(self) -> SessionInfo: ...
    @property
    def mode(self) -> Mode: ...
    @property
    def usage(self) -> Usage: ...
    @property
    def processes(self) -> Processes: ...

    async def compact(self, focus: str = "") -> str: ...
    def context_report(self) -> ContextReport: ...
    async def count_exactly(self) -> tuple[int, bool]: ...
    async def examine(self) -> list[Finding]: ...
    def inspect(self) -> Inspection: ...
    def fork(self) -> None: ...
    def models(self) -> list[ModelChoice]: ...
    def new_session(self, title: str = "") -> None: ...
    def open_session(self, session_id: str) -> None: ...
    def rename(self, title: str) -> None: ...
    def sessions(self) -> list[SessionInfo]: ...
    def set_mode(self, mode: Mode) -> None: ...
    def set_model(self, name: str) -> Combo: ...
    def set_tool(self, name: str, *, enabled: bool) -> None: ...
    def todos(self) -> tuple[Todo, ...]: ...
    def uncompact(self) -> bool: ...
    def tools(self) -> list[ToolInfo]: ...


Run: TypeAlias = Callable[[Session, str], Awaitable[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """`/name ARGS`. `run(session, args)` raises `UsageError` with what to do for arguments it can't take."""

    name: str
    summary: str
    run: Run
    usage: str = ""


def session_commands() -> dict[str, Command]:
    """All commands by name."""
    commands = (
        Command(name="compact", usage="[focus]", summary="Summarise the older part of the session", run=_compact),
        Command(name="uncompact", summary="Take the last compaction back", run=_uncompact),
        Command(name="context", usage="[prompt|exact]", summary="What fills the model's window", run=_context),
        Command(name="new", usage="[title]", summary="Start a new session", run=_new),
        Command(name="clear", summary="Start afresh; this session stays in the list", run=_new),
        Command(name="resume", usage="[id]", summary="Open another session", run=_resume),
        Command(name="fork", summary="Go on in a copy of this session", run=_fork),
        Command(name="rename", usage="title", summary="Name this session", run=_rename),
        Command(name="model", usage="[name]", summary="Choose a combo or provider/model", run=_model),
        Command(name="combo", usage="[name]", summary="Choose a combo", run=_model),
        Command(name="strategy", usage="[name]", summary="How the combo is routed, with scores", run=strategy_command),
        Command(name="route", summary="Which model was tried, and why", run=route_command),
        Command(name="mode", usage="[mode]", summary="How calls are decided: " + ", ".join(MODES), run=_mode),
        Command(name="plan", summary="Only look, change nothing, until the mode is changed", run=_plan),
        Command(name="tools", usage="[on|off name]", summary="The tools the model sees", run=_tools),
        Command(name="todo", summary="The todo list", run=_todo),
        Command(name="processes", usage="[kill id]", summary="Background processes", run=_processes),
        Command(name="cost", summary="Tokens and cost of this session", run=_cost),
        Command(name="usage", summary="Tokens and cost of this session", run=_cost),
        Command(
            name="export",
            usage="[md|html|json|core] [file]",
            summary="Write this session to a file",
            run=export_command,
        ),
        Command(name="import", usage="file", summary="Open a session from a file", run=import_command),
        Command(name="artifacts", usage="[all|id]", summary="Long outputs that were kept", run=artifacts_command),
        Command(name="init", usage="[wish]", summary="Write a first AGENTS.md", run=init_command),
        Command(name="memory", usage=USAGE, summary="What is remembered for later sessions", run=memory_command),
        Command(name="doctor", summary="Whether everything kram needs is in order", run=_doctor),
    )
    return {command.name: command for command in commands}


async def _compact(session: Session, args: str) -> str:
    return await session.compact(args)


async def _uncompact(session: Session, args: str) -> str:
    if not session.uncompact():
        return "There is no compaction to take back."
    report = session.context_report()
    return f"The last compaction is taken back; about {report.used} tokens are in view now."


async def _context(session: Session, args: str) -> str:
    if args == "prompt":
        return _prompt(session.inspect())
    if args == "exact":
        tokens, exact = await session.count_exactly()
        if exact:
            return f"{tokens:,} tokens, counted by the provider."
        return f"About {tokens:,} tokens: this provider counts none on demand, or could not just now."
    report = session.context_report()
    head = f"{report.used} tokens (estimated{f', {report.quality}' if report.quality else ''})"
    if report.window:
        head += f" of {report.window}, {report.used * 100 // report.window} %"
    rows = [f"  {item.category.replace('_', ' '):<20} {item.tokens:>9}" for item in report.items]
    return "\n".join([head, *rows])


def _prompt(found: Inspection) -> str:
    """The parts of the next request in order, with the cache boundary."""
    rows = [f"The next request to {found.model}, about {found.tokens} tokens"]
    parts = [
        f"  {part.id:<20} {part.placement:<12} {part.refresh:<9} {part.tokens:>6}  {part.source}"
        for part in found.prompt.parts
    ]
    parts.insert(found.prompt.dynamic_boundary, "  -- cache boundary --")
    rows += parts
    rows.append(f"  tools: {len(found.request.tools)}, messages: {len(found.request.messages)}")
    return "\n".join(rows)


async def _new(session: Session, args: str) -> str:
    session.new_session(args)
    return "A new session."


async def _resume(session: Session, args: str) -> str:
    if not args:
        return _listing(session.sessions(), session.session.id)
    session.open_session(args)
    return f"Opened {session.session.title or session.session.id}."


def _listing(sessions: Sequence[SessionInfo], current: str) -> str:
    rows = [f"{'*' if one.id == current else ' '} {one.id}  {one.title or '(no title)'}" for one in sessions]
    return "\n".join(rows) or "No other session here."


async def _fork(session: Session, args: str) -> str:
    session.fork()
    return f"Now in a copy: {session.session.id}."


async def _rename(session: Session, args: str) -> str:
    if not args:
        raise UsageError("A session needs a title", todo="/rename TITLE")
    session.rename(args)
    return f"Named “{args}”."


async def _model(session: Session, args: str) -> str:
    if args:
        combo = session.set_model(args)
        return f"Now {combo.name}: {' → '.join(combo.candidates)}"
    rows = [f"{'*' if one.current else ' '} {one.name}  {one.why_not or one.note}" for one in session.models()]
    return "\n".join(rows) or "No model is usable. `kram models` says why."


async def _mode(session: Session, args: str) -> str:
    for mode in MODES:
        if args == mode:
            session.set_mode(mode)
            return f"Permission mode: {mode}."
    if args:
        raise UsageError(f"Unknown mode '{args}'", todo=f"Use one of: {', '.join(MODES)}")
    return f"Permission mode: {session.mode}. Others: {', '.join(one for one in MODES if one != session.mode)}."


async def _plan(session: Session, args: str) -> str:
    session.set_mode("plan")
    return "Plan mode: only reading is allowed. /mode ask ends it."


async def _tools(session: Session, args: str) -> str:
    verb, _, name = args.partition(" ")
    if verb in ("on", "off") and name:
        session.set_tool(name.strip(), enabled=verb == "on")
        return f"{name.strip()} is {verb}."
    if args:
        raise UsageError(f"Cannot do '{args}'", todo="/tools, /tools on NAME or /tools off NAME")
    rows = [f"{'x' if one.enabled else ' '} {one.name:<18} {one.tokens:>5}  {one.summary}" for one in session.tools()]
    return "\n".join(rows)


async def _todo(session: Session, args: str) -> str:
    marks = {"pending": "[ ]", "in_progress": "[~]", "completed": "[x]"}
    return "\n".join(f"{marks[one.status]} {one.content}" for one in session.todos()) or "The todo list is empty."


async def _processes(session: Session, args: str) -> str:
    verb, _, process_id = args.partition(" ")
    if verb == "kill" and process_id:
        await session.processes.kill(process_id.strip())
        return f"{process_id.strip()} was ended."
    rows = [f"{one.id}  {one.state:<8} {one.command}" for one in session.processes.list()]
    return "\n".join(rows) or "No background process."


async def _cost(session: Session, args: str) -> str:
    usage = session.usage
    cost = "unknown" if usage.cost_usd is None else f"${usage.cost_usd:.4f}"
    return (
        f"Input {usage.input} (from cache {usage.cache_read}, written {usage.cache_write}), output {usage.output}, "
        f"cost {cost}."
    )


async def _doctor(session: Session, args: str) -> str:
    return told(await session.examine())
