"""`kram` and `kram -p`: the flags, as an `Options` record, handed to the front end that fits."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from kram.base import UsageError
from kram.permissions import Mode
from kram.runtime import Options

from .guard import guarded

NO_TERMINAL = 'kram needs a terminal here; for scripts and pipes use `kram -p "…"`'


@guarded
def chat(
    prompt: Annotated[str | None, typer.Argument(help="Sent at once; with -p it may come on stdin.")] = None,
    print_: Annotated[bool, typer.Option("-p", "--print", help="Headless: one turn, print the answer, leave.")] = False,
    model: Annotated[str, typer.Option("-m", "--model", help="A combo's name, or provider/model.")] = "",
    strategy: Annotated[str, typer.Option(help="Override the combo's routing strategy.")] = "",
    workspace: Annotated[Path, typer.Option("-C", "--workspace", help="Project root.")] = Path(),
    continue_: Annotated[bool, typer.Option("-c", "--continue", help="The newest session here.")] = False,
    resume: Annotated[str | None, typer.Option("-r", "--resume", help="A session; a picker without ID.")] = None,
    fork: Annotated[str, typer.Option(help="A copy of a session.")] = "",
    title: Annotated[str, typer.Option(help="Name a new session.")] = "",
    permission_mode: Annotated[Mode | None, typer.Option(help="How calls are decided; ask is the default.")] = None,
    allow: Annotated[list[str] | None, typer.Option(help="Rule, e.g. 'bash(git status*)'; repeatable.")] = None,
    deny: Annotated[list[str] | None, typer.Option(help="Rule that denies; repeatable.")] = None,
    ask: Annotated[list[str] | None, typer.Option(help="Rule that asks; repeatable.")] = None,
    add_dir: Annotated[list[Path] | None, typer.Option(help="One more writable root; repeatable.")] = None,
    max_turns: Annotated[int, typer.Option(min=0, help="Model calls of one turn.")] = 0,
    max_cost: Annotated[float, typer.Option(min=0, help="US dollars of one turn.")] = 0.0,
    max_tokens: Annotated[int, typer.Option(min=0, help="Tokens of one turn.")] = 0,
    max_seconds: Annotated[float, typer.Option(min=0, help="Seconds of one turn.")] = 0.0,
    system_prompt_file: Annotated[Path | None, typer.Option(help="Replaces the base prompt.")] = None,
    append_system_prompt_file: Annotated[Path | None, typer.Option(help="Added to the base prompt.")] = None,
    output_format: Annotated[Literal["text", "json", "stream-json"], typer.Option(help="Headless output.")] = "text",
    input_format: Annotated[Literal["text", "stream-json"], typer.Option(help="Headless input.")] = "text",
    include_partial_messages: Annotated[bool, typer.Option(help="Deltas in stream-json.")] = False,
    json_schema: Annotated[Path | None, typer.Option(help="The answer must fit this schema; headless.")] = None,
    config: Annotated[Path | None, typer.Option(help="One more configuration file.")] = None,
    theme: Annotated[str, typer.Option(help="Colours of the interface.")] = "",
    script: Annotated[Path | None, typer.Option(help="Play a script instead of asking a model.", hidden=True)] = None,
    trust: Annotated[
        bool, typer.Option(help="Use what this project brings (instructions, settings), this once.")
    ] = False,
    debug: Annotated[bool, typer.Option(help="Write a detailed log.")] = False,
) -> None:
    """Opens a session, or runs one turn without a screen."""
    options = Options(
        **_session(continue_, resume, fork, title),
        model=model,
        strategy=strategy,
        permission_mode=permission_mode or "",
        allow=tuple(allow or ()),
        deny=tuple(deny or ()),
        ask=tuple(ask or ()),
        add_dirs=tuple(str(path) for path in add_dir or ()),
        max_turns=max_turns,
        max_cost_usd=max_cost,
        max_tokens=max_tokens,
        max_seconds=max_seconds,
        system_prompt=_read(system_prompt_file),
        append_system_prompt=_read(append_system_prompt_file),
        config_file=str(config or ""),
        theme=theme,
        script=str(script or ""),
        trust=trust,
        debug=debug,
    )
    root = _root(workspace)
    if print_ or output_format != "text" or input_format != "text":
        from .headless_run import run_headless

        code = run_headless(
            root,
            options,
            prompt or "",
            output=output_format,
            feed=input_format == "stream-json",
            partial=include_partial_messages,
            schema_file=json_schema,
        )
    else:
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise UsageError(NO_TERMINAL)
        from .screen_run import run_screen

        code = run_screen(root, options, prompt or "", pick_session=resume == "")
    raise typer.Exit(code)


def _session(continue_: bool, resume: str | None, fork: str, title: str) -> dict[str, Any]:
    chosen = sum((continue_, resume is not None, bool(fork)))
    if chosen > 1:
        raise UsageError("--continue, --resume and --fork exclude each other", todo="Give one of them")
    if continue_:
        return {"session": "continue", "title": title}
    if resume:
        return {"session": "resume", "session_id": resume, "title": title}
    if fork:
        return {"session": "fork", "session_id": fork, "title": title}
    return {"session": "new", "title": title}


def _root(workspace: Path) -> Path:
    root = workspace.expanduser().resolve()
    if not root.is_dir():
        raise UsageError("No such directory", where=str(root), todo="Give an existing project directory with -C")
    return root


def _read(path: Path | None) -> str:
    if path is None:
        return ""
    try:
        return path.expanduser().read_text("utf-8")
    except (OSError, UnicodeDecodeError) as failure:
        raise UsageError(f"Cannot read the prompt file: {failure}", where=str(path)) from failure
