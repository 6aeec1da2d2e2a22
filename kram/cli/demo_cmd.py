"""`kram demo`: a guided tour in a scratch folder. Scripted is only what the model says; everything else is real."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from kram.base import UsageError
from kram.runtime import Options

from .chat import NO_TERMINAL
from .guard import guarded


@guarded
def demo(
    name: Annotated[str, typer.Argument(help="Which tour; without a name the first one.")] = "",
    theme: Annotated[str, typer.Option(help="Colours of the interface.")] = "",
) -> None:
    """Plays a tour in the interface."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(NO_TERMINAL)
    from kram.demo import prepare

    from .screen_run import run_screen

    tour = prepare(name)
    try:
        options = Options(
            script=str(tour.script), title=tour.title, theme=theme, isolated=str(tour.folder / "kram"), trust=True
        )
        code = run_screen(tour.workspace, options, tour.prompt, closing_panel=tour.closing_panel)
    finally:
        tour.remove()
    raise typer.Exit(code)
