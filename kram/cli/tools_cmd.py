"""`kram tools`: the tools a model sees, and one of them run by hand under the same gate."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from kram.base import UsageError
from kram.headless import NobodyUser
from kram.permissions import Mode
from kram.runtime import Options, Runtime

from .guard import guarded
from .tables import print_table

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)
Workspace = Annotated[Path, typer.Option("-C", "--workspace", help="Project root.")]


@app.command("list")
@guarded
def list_tools(workspace: Workspace = Path()) -> None:
    """Every tool with its access class and what its definition costs in tokens."""

    async def run(runtime: Runtime) -> None:
        rows = [
            (tool.name, tool.access, str(tool.tokens), "" if tool.enabled else "off", tool.summary)
            for tool in runtime.tools()
        ]
        print_table(rows, head=("NAME", "ACCESS", "TOKENS", "", "SUMMARY"))

    asyncio.run(_with_runtime(workspace, Options(), run))


@app.command("show")
@guarded
def show(name: str, workspace: Workspace = Path()) -> None:
    """A tool's definition as the model gets it."""

    async def run(runtime: Runtime) -> None:
        print(json.dumps(runtime.tool_definition(name), ensure_ascii=False, indent=2))

    asyncio.run(_with_runtime(workspace, Options(), run))


@app.command("run")
@guarded
def run_tool(
    name: str,
    args: Annotated[str, typer.Option("--args", help="JSON object, or - for stdin.")] = "{}",
    permission_mode: Annotated[Mode | None, typer.Option(help="How the call is decided.")] = None,
    allow: Annotated[list[str] | None, typer.Option(help="Rule that allows; repeatable.")] = None,
    workspace: Workspace = Path(),
) -> None:
    """Runs one tool under the gate and prints one JSON object."""
    text = sys.stdin.read() if args == "-" else args
    try:
        arguments = json.loads(text)
    except ValueError as failure:
        raise UsageError(
            f"--args is not JSON: {failure}", todo="Give a JSON object, or - and the object on stdin"
        ) from failure
    if not isinstance(arguments, dict):
        raise UsageError("--args must be a JSON object")
    outcome: dict[str, Any] = {}

    async def run(runtime: Runtime) -> None:
        outcome.update(await runtime.run_tool(name, arguments))

    options = Options(permission_mode=permission_mode or "", allow=tuple(allow or ()))
    asyncio.run(_with_runtime(workspace, options, run))
    print(json.dumps(outcome, ensure_ascii=False))
    raise typer.Exit(0 if outcome["ok"] else 3 if outcome["verdict"] == "deny" else 1)


async def _with_runtime(workspace: Path, options: Options, use: Any) -> None:
    runtime = await Runtime.open(workspace.expanduser().resolve(), options, user=NobodyUser())
    try:
        await use(runtime)
    finally:
        await runtime.close()
