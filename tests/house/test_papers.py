"""README and AGENTS.md say what is true: commands, flags, keys, codes and file names in them exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.main import get_command

from kram.cli.app import app
from kram.cli.main import COMMANDS
from kram.config.settings import Settings
from kram.permissions.load import PermissionFile
from kram.tui.keymap import KEYS

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text("utf-8")
AGENTS = (ROOT / "AGENTS.md").read_text("utf-8")


def test_the_commands_of_the_parser_are_those_the_fast_path_knows() -> None:
    assert set(get_command(app).commands) == set(COMMANDS)  # type: ignore[attr-defined]


def test_every_command_the_readme_shows_exists() -> None:
    shown = set(re.findall(r"kram ([a-z]+)(?= |`|\n)", README)) - {"in", "uses", "asks", "works"}
    assert {name for name in shown if name in COMMANDS} >= {"demo", "models", "config", "permissions"}
    unknown = set(re.findall(r"`kram ([a-z]+)", README)) - set(COMMANDS)
    assert not unknown


def test_every_flag_the_readme_shows_exists() -> None:
    commands = get_command(app).commands  # type: ignore[attr-defined]
    flags = {flag for name in ("chat", "serve", "doctor") for param in commands[name].params for flag in param.opts}
    shown = set(re.findall(r"(?<![\w-])(--[a-z][a-z-]+)", README.split("## Development")[0]))
    assert shown <= flags


def keys_of(text: str) -> set[str]:
    """Key names in the README's manner."""
    return {name.lower().replace("ctrl+", "ctrl+") for name in re.findall(r"(?:Ctrl|Shift|Alt)\+\w+|F\d|Esc", text)}


def test_the_keys_of_the_readme_are_bound() -> None:
    table = README.split("## In a session")[1].split("`/` lists")[0]
    bound = {one.replace("escape", "esc") for key in KEYS for one in key.keys.split(",")}
    of_the_prompt = {"shift+enter", "ctrl+j", "alt+enter", "ctrl+r"}
    assert keys_of(table) <= bound | of_the_prompt


@pytest.mark.parametrize("kind", [Settings, PermissionFile])
def test_the_examples_in_the_readme_are_valid_files(kind: type) -> None:
    import tomllib

    import msgspec

    fitting = []
    for block in re.findall(r"```toml\n(.*?)```", README, re.DOTALL):
        try:
            fitting.append(msgspec.convert(tomllib.loads(block), kind))
        except msgspec.ValidationError:
            continue
    assert fitting


def test_every_file_the_map_names_exists() -> None:
    named = re.findall(r"`((?:[a-z_]+/)+[a-z_]+\.(?:py|toml))`", AGENTS)
    missing = [name for name in named if not ((ROOT / "kram" / name).exists() or (ROOT / name).exists())]
    assert named
    assert not missing
