"""Colours from `themes/*.toml` and looks from `themes/*.tcss`: shipped with kram, and a person's own beside them."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import msgspec
from textual.theme import Theme

from kram.base import Data, UsageError


class ThemeFile(Data, forbid_unknown_fields=True):
    """`colors` takes Textual's names of theme colours."""

    version: Literal[1]
    dark: bool
    colors: dict[str, str]
    ansi: bool = False


def shipped_folder() -> Path:
    """In a checkout beside the package, in an installation inside it."""
    inside = Path(str(files("kram"))) / "themes"
    return inside if inside.is_dir() else inside.parent.parent / "themes"


def load_themes(own_folder: Path | None = None) -> dict[str, tuple[Theme, bool]]:
    """Name -> theme and whether it uses the terminal's own colours. A person's theme replaces a shipped one of that name."""
    found: dict[str, tuple[Theme, bool]] = {}
    for folder in (shipped_folder(), own_folder):
        if folder is None or not folder.is_dir():
            continue
        for path in sorted(folder.glob("*.toml")):
            found[path.stem] = _load(path)
    return found


def stylesheets(own_folder: Path | None = None) -> list[Path]:
    """The shipped looks, then the person's, which win."""
    folders = [shipped_folder(), *([own_folder] if own_folder and own_folder.is_dir() else [])]
    return [path for folder in folders for path in sorted(folder.glob("*.tcss"))]


def _load(path: Path) -> tuple[Theme, bool]:
    try:
        read = msgspec.convert(tomllib.loads(path.read_text("utf-8")), ThemeFile)
        fields: dict[str, Any] = dict(read.colors)
        return Theme(name=path.stem, dark=read.dark, **fields), read.ansi
    except (ValueError, TypeError, OSError) as failure:
        raise UsageError(f"Not a theme: {failure}", where=str(path)) from failure
