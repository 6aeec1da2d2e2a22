"""`kram permissions`: what would be decided for a command, and why. Nothing is run."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from kram.base import UsageError, app_paths
from kram.permissions import (
    GrantStore,
    Policy,
    as_json,
    explain_command,
    explain_line,
    load_policy,
    read_policy_file,
)

from .guard import guarded
from .tables import print_table

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)


@app.command("explain", context_settings={"ignore_unknown_options": True})
@guarded
def explain(
    command: Annotated[list[str] | None, typer.Argument(help="The command, after --.")] = None,
    policy: Annotated[Path | None, typer.Option(help="A permissions.toml instead of your own.")] = None,
    lines: Annotated[
        str, typer.Option("--json", help='- reads {"tool","args"} a line and prints a verdict a line.')
    ] = "",
    workspace: Annotated[Path, typer.Option("-C", "--workspace", help="Project root.")] = Path(),
) -> None:
    """What would be decided for a shell command, part by part."""
    root = workspace.expanduser().resolve()
    used = _policy(policy, root)
    if lines:
        for line in sys.stdin if lines == "-" else [lines]:
            if line.strip():
                print(json.dumps(explain_line(line, used, root), ensure_ascii=False), flush=True)
        return
    if not command:
        raise UsageError("No command", todo="kram permissions explain -- COMMAND")
    verdict = explain_command(" ".join(command), used, root)
    print(f"{verdict.decision}: {verdict.reason}")
    print_table([(part.decision, part.text, part.rule, part.reason) for part in verdict.parts])


@app.command("test")
@guarded
def test(
    cases: Annotated[Path, typer.Argument(help="TOML with [[cases]]: command, verdict.")],
    policy: Annotated[Path | None, typer.Option(help="A permissions.toml instead of your own.")] = None,
) -> None:
    """Checks a policy against commands with the verdict each should get; exit code 1 if one differs."""
    from kram.config import read_toml

    used, root, wrong = _policy(policy, Path.cwd()), Path.cwd(), 0
    for case in read_toml(cases).get("cases", []):
        found = as_json(explain_command(case["command"], used, root))["verdict"]
        ok = found == case["verdict"]
        wrong += not ok
        print(f"{'ok  ' if ok else 'FAIL'} {case['command']}: {found}" + ("" if ok else f", not {case['verdict']}"))
    raise typer.Exit(1 if wrong else 0)


def _policy(path: Path | None, root: Path) -> Policy:
    if path is not None:
        if not path.exists():
            raise UsageError("No such policy file", where=str(path))
        return read_policy_file(path)
    paths = app_paths()
    return load_policy(paths.config, root, mode="ask", granted=GrantStore(paths.data, root).rules())
