"""Prepares a tour: writes its project into a scratch folder and names the script that plays the model.

A tour is two files in `tours/`: `NAME.toml` (title, first prompt, files) and `NAME.script.toml` (what the model says; the
format is that of the scripted provider).
"""

from __future__ import annotations

import shutil
import tempfile
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Literal

import msgspec

from kram.base import Data, UsageError

DEFAULT = "invoice"


class TourFile(Data, forbid_unknown_fields=True):
    version: Literal[1]
    title: str
    prompt: str
    files: dict[str, str]
    closing_panel: str = ""


class Tour(Data):
    """A prepared tour; `remove` deletes its scratch folder."""

    title: str
    prompt: str
    closing_panel: str
    folder: Path
    workspace: Path
    script: Path

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def tour_names() -> list[str]:
    """The tours that come with kram."""
    names = (Path(one.name) for one in files("kram.demo").joinpath("tours").iterdir())
    return sorted(name.stem for name in names if name.suffix == ".toml" and not name.stem.endswith(".script"))


def prepare(name: str = "") -> Tour:
    """Raises `UsageError` for a tour that does not exist."""
    name = name or DEFAULT
    if name not in tour_names():
        raise UsageError(f"There is no tour '{name}'", todo=f"Tours: {', '.join(tour_names())}")
    tours = files("kram.demo").joinpath("tours")
    tour = msgspec.convert(tomllib.loads(tours.joinpath(f"{name}.toml").read_text("utf-8")), TourFile)
    folder = Path(tempfile.mkdtemp(prefix="kram-demo-"))
    workspace = folder / name
    for path, text in tour.files.items():
        target = workspace / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text.lstrip("\n"), "utf-8")
    script = folder / "script.toml"
    script.write_text(tours.joinpath(f"{name}.script.toml").read_text("utf-8"), "utf-8")
    return Tour(
        title=tour.title,
        prompt=tour.prompt,
        closing_panel=tour.closing_panel,
        folder=folder,
        workspace=workspace,
        script=script,
    )
