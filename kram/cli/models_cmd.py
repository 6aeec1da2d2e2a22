"""`kram models`: what can answer here, what can not, and why."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Annotated

import typer

from kram.messages import to_plain
from kram.runtime import Options, Runtime

from .guard import complain, guarded
from .tables import print_table


@guarded
def models(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
    workspace: Annotated[Path, typer.Option("-C", "--workspace", help="Project root.")] = Path(),
) -> None:
    """Combos and models, with where each was found."""
    asyncio.run(_models(workspace.expanduser().resolve(), as_json=as_json))


async def _models(root: Path, *, as_json: bool) -> None:
    runtime = await Runtime.open(root, Options())
    try:
        choices, missing = runtime.models(), runtime.missing
    finally:
        await runtime.close()
    if as_json:
        print(json.dumps({"choices": [to_plain(one) for one in choices], "missing": list(missing)}))
        return
    rows = [(one.kind, one.name, one.why_not or "usable", one.note, one.origin) for one in choices]
    print_table(rows, head=("KIND", "NAME", "STATE", "NOTE", "FOUND IN"))
    for sentence in missing:
        complain(sentence)
