"""`kram serve`: the gateway as an OpenAI-compatible HTTP endpoint on loopback, until Ctrl+C."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from kram.runtime import Options

from .guard import guarded

PORT = 20128


@guarded
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on; another than loopback needs --token.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes any free one.")] = PORT,
    token: Annotated[
        str, typer.Option(envvar="KRAM_SERVE_TOKEN", help="What clients must send; without it one is made and kept.")
    ] = "",
    model: Annotated[
        str, typer.Option("-m", "--model", help="Who answers for names that nobody has: a combo, or provider/model.")
    ] = "",
    strategy: Annotated[str, typer.Option(help="Routing strategy of that combo.")] = "",
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="A line for each request.")] = False,
    workspace: Annotated[Path, typer.Option("-C", "--workspace", help="Project root.")] = Path(),
    config: Annotated[Path | None, typer.Option(help="A configuration file over your own.")] = None,
    debug: Annotated[bool, typer.Option(help="More in the log.")] = False,
) -> None:
    """Other programs use your combos like any OpenAI model: same keys, same fallback, same figures."""
    options = Options(
        model=model, strategy=strategy, config_file=str(config.expanduser()) if config else "", debug=debug
    )
    from .serve_run import run_server

    asyncio.run(run_server(workspace.expanduser(), options, host, port, token, verbose=verbose))
