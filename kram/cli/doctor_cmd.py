"""`kram doctor`: whether everything kram needs is in order, a line each; exit code 1 where something does not work."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from kram.base import SystemClock, UsageError, visible
from kram.messages import to_plain
from kram.runtime.doctor import Finding, told, worst

from .guard import complain, guarded

app = typer.Typer(pretty_exceptions_enable=False, invoke_without_command=True)
Workspace = Annotated[Path, typer.Option("-C", "--workspace", help="Project root.")]
COLORS = {"✓": "32", "!": "33", "✕": "31", "–": "2"}


@app.callback()
@guarded
def doctor(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
    reset_terminal: Annotated[
        bool, typer.Option("--reset-terminal", help="Repair a terminal that a killed program left raw.")
    ] = False,
    workspace: Workspace = Path(),
) -> None:
    """Configuration, keys, providers, terminal, programs, storage: what is in order and what is not."""
    if context.invoked_subcommand is not None:
        return
    if reset_terminal:
        _reset()
        return
    findings = asyncio.run(_examine(workspace))
    if as_json:
        print(
            json.dumps({"state": worst(findings), "findings": [to_plain(one) for one in findings]}, ensure_ascii=False)
        )
    else:
        print(_coloured(told(findings)))
    raise typer.Exit(1 if worst(findings) == "problem" else 0)


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
