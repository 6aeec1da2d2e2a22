"""`kram config`: where configuration lies, and which layer set a value."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from kram.base import app_paths
from kram.config import LoadedSettings, TrustStore, load_settings, profile_rows, read_profiles, review, set_value
from kram.workspace import Instructions

from .guard import complain, guarded
from .tables import print_table

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)


def _loaded() -> LoadedSettings:
    paths = app_paths()
    return load_settings(paths.config, Path.cwd(), env=os.environ, trust=TrustStore(paths.data))


@app.command("path")
@guarded
def path() -> None:
    """The folders kram uses."""
    print_table([(name, str(getattr(app_paths(), name))) for name in ("config", "data", "state", "cache")])


@app.command("show")
@guarded
def show() -> None:
    """Every value with the layer it came from."""
    loaded = _loaded()
    learnt = profile_rows(read_profiles(app_paths().data), loaded.settings)
    print_table([*loaded.rows(), *learnt], head=("KEY", "VALUE", "FROM"))


@app.command("get")
@guarded
def get(key: str) -> None:
    """One value."""
    value, _ = _loaded().value(key)
    print(value if isinstance(value, str) else json.dumps(value))


@app.command("set")
@guarded
def set_(key: str, value: Annotated[str, typer.Argument(help="TOML, or plain text for a string.")]) -> None:
    """Sets a value in your own config.toml."""
    print(f"set in {set_value(app_paths().config, key, value)}")


@app.command("trust")
@guarded
def trust(
    workspace: Annotated[Path, typer.Option("-C", "--workspace", help="Project root.")] = Path(),
    no: Annotated[bool, typer.Option("--no", help="Do not trust it, and do not ask.")] = False,
    forget: Annotated[bool, typer.Option(help="Ask again at the next start.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask here.")] = False,
) -> None:
    """Shows what this project brings and trusts it: its instructions, settings, tools and servers take part from then on."""
    root = workspace.expanduser().resolve()
    paths = app_paths()
    store = TrustStore(paths.data)
    if forget:
        store.forget(root)
        print(f"{root}: the next start asks")
        return
    found = review(store, root, Instructions(root, paths.config, lambda: False).project_files())
    print_table([(item.change, item.name, item.what) for item in found.items])
    if not found.items:
        print(f"{root} brings nothing that needs trust")
    wanted = not no and (yes or typer.confirm(f"Trust {root}?"))
    if not wanted and not no:
        complain("not trusted; nothing was changed")
        raise typer.Exit(1)
    store.answer(root, found.state, trusted=wanted)
    print(f"{root}: {'trusted' if wanted else 'not trusted'}")
