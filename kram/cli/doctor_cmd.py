"""`kram doctor`: whether everything kram needs is in order, a line each; exit code 1 where something does not work."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from kram.base import KramError, SystemClock, UsageError, app_paths, visible
from kram.config import forget_profile
from kram.headless import NobodyUser
from kram.messages import to_plain
from kram.providers.probing import Outcome, Report
from kram.runtime import Options, Runtime
from kram.runtime.doctor import Finding, told, worst

from .guard import complain, guarded

app = typer.Typer(pretty_exceptions_enable=False, invoke_without_command=True)
Workspace = Annotated[Path, typer.Option("-C", "--workspace", help="Project root.")]
PROBE_MARKS = {"yes": "✓", "no": "✕", "partly": "!", "unknown": "–", "failed": "✕"}
COLORS = {"✓": "32", "!": "33", "✕": "31", "–": "2"}


@app.callback()
@guarded
def doctor(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
    reset_terminal: Annotated[
        bool, typer.Option("--reset-terminal", help="Repair a terminal that a killed program left raw.")
    ] = False,
    probe_name: Annotated[
        str, typer.Option("--probe", metavar="PROVIDER/MODEL", help="The same as `kram doctor probe`.")
    ] = "",
    workspace: Workspace = Path(),
) -> None:
    """Configuration, keys, providers, terminal, programs, storage: what is in order and what is not."""
    if context.invoked_subcommand is not None:
        return
    if reset_terminal:
        _reset()
        return
    if probe_name:
        raise typer.Exit(_probed(probe_name, workspace, as_json=as_json, keep=True))
    findings = asyncio.run(_examine(workspace))
    if as_json:
        print(
            json.dumps({"state": worst(findings), "findings": [to_plain(one) for one in findings]}, ensure_ascii=False)
        )
    else:
        print(_coloured(told(findings)))
    raise typer.Exit(1 if worst(findings) == "problem" else 0)


@app.command("probe")
@guarded
def probe(
    name: Annotated[str, typer.Argument(metavar="PROVIDER/MODEL")],
    as_json: Annotated[
        bool, typer.Option("--json", help="A JSON object a line, the last with what was learnt.")
    ] = False,
    keep: Annotated[bool, typer.Option(help="Keep what was learnt.")] = True,
    forget: Annotated[bool, typer.Option("--forget", help="Forget what was learnt earlier; sends nothing.")] = False,
    workspace: Workspace = Path(),
) -> None:
    """Find out by tiny real requests what an endpoint does: streaming, tools, JSON, images, thinking, caching, limits."""
    if forget:
        there = forget_profile(app_paths().data, name)
        complain(f"what was learnt of {name} is forgotten" if there else f"nothing was learnt of {name}")
        return
    raise typer.Exit(_probed(name, workspace, as_json=as_json, keep=keep))


def _probed(name: str, workspace: Path, *, as_json: bool, keep: bool) -> int:
    """The exit code."""
    if not as_json:
        complain("some twenty-five small requests; a slow server on this machine may take minutes")
    report = asyncio.run(_probe(name, workspace, as_json=as_json, keep=keep))
    if as_json:
        print(json.dumps(to_plain(msgspec.structs.replace(report, outcomes=())), ensure_ascii=False))
    else:
        _print_report(report, keep=keep)
    return 1 if report.problem else 0


async def _probe(name: str, workspace: Path, *, as_json: bool, keep: bool) -> Report:
    runtime = await Runtime.open(workspace.expanduser().resolve(), Options(), user=NobodyUser())
    try:
        return await runtime.probe(name, _tell_json if as_json else _tell, keep=keep)
    finally:
        await runtime.close()


def _tell(outcome: Outcome) -> None:
    mark = PROBE_MARKS[outcome.answer]
    print(_coloured(f"  {mark} {outcome.name:<18} {outcome.text}"), flush=True)


def _tell_json(outcome: Outcome) -> None:
    print(json.dumps(to_plain(outcome), ensure_ascii=False), flush=True)


def _print_report(report: Report, *, keep: bool) -> None:
    if report.problem:
        raise KramError(visible(report.problem), where=report.candidate, todo=report.todo)
    learnt = {key: value for key, value in to_plain(report.facts).items() if value is not None}
    rows = [f"  {key} = {json.dumps(value, ensure_ascii=False)}" for key, value in learnt.items()]
    print(
        "\n".join(
            ["", f"learnt by {report.requests} requests:", *rows] if rows else ["", "nothing that changes a setting"]
        )
    )
    if keep:
        print(f"kept for {report.candidate}; your own settings win over it, `kram doctor probe --forget` takes it away")


async def _examine(workspace: Path) -> list[Finding]:
    from kram.runtime.doctor.examine import examine
    from kram.runtime.doctor.scene import scene_of

    scene = await scene_of(workspace.expanduser().resolve(), os.environ, SystemClock())
    return await examine(scene)


def _coloured(text: str) -> str:
    """Marks in colour where a person looks; names and causes may come from servers and files, so that they are cleaned."""
    lines = [visible(line) for line in text.splitlines()]
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return "\n".join(lines)
    return "\n".join(_line(line) for line in lines)


def _line(line: str) -> str:
    mark = line.strip()[:1]
    if mark in COLORS and line.startswith("  "):
        return line.replace(mark, f"\x1b[{COLORS[mark]}m{mark}\x1b[0m", 1)
    return line


def _reset() -> None:
    import termios

    from .terminal_reset import reset_terminal

    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    except OSError as failure:
        raise UsageError("There is no terminal to repair here", todo="Run it in the terminal itself") from failure
    try:
        reset_terminal(terminal)
    except (OSError, termios.error) as failure:
        raise UsageError(f"The terminal cannot be repaired: {failure}") from failure
    finally:
        os.close(terminal)
    complain("the terminal is as it should be")
