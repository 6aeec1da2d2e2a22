"""The Typer app: every command with its help."""

from __future__ import annotations

from typing import Annotated

import typer

from kram import __version__

from . import chat, config_cmd, demo_cmd, doctor_cmd, models_cmd, permissions_cmd, serve_cmd, sessions_cmd, tools_cmd
from .help import KramGroup

app = typer.Typer(
    cls=KramGroup,
    name="kram",
    no_args_is_help=False,
    add_completion=True,
    pretty_exceptions_enable=False,
    help="An interactive coding agent for the terminal. Without a command it opens a session in this directory.",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def root(version: Annotated[bool, typer.Option("--version", help="Print the version and leave.")] = False) -> None:
    """Options that need no command."""
    if version:
        print(f"kram {__version__}")
        raise typer.Exit


app.command("chat", help="A session in this directory; PROMPT is sent at once. With -p: one turn, no screen.")(
    chat.chat
)
app.command("demo", help="A guided tour on a scratch copy of a small project; needs no key.")(demo_cmd.demo)
app.add_typer(sessions_cmd.app, name="sessions", help="List, show, export, rename and delete sessions.")
app.add_typer(models_cmd.app, name="models", help="Providers, models and combos: what is usable now, and why not.")
app.add_typer(config_cmd.app, name="config", help="Where configuration lies, and which layer set a value.")
app.add_typer(doctor_cmd.app, name="doctor", help="Whether everything kram needs is in order; probe an endpoint.")
app.add_typer(tools_cmd.app, name="tools", help="The tools a model sees; run one under the same gate.")
app.add_typer(permissions_cmd.app, name="permissions", help="What would be decided for a command, and why.")
app.command("serve", help="The gateway as an OpenAI-compatible HTTP endpoint on this machine.")(serve_cmd.serve)
