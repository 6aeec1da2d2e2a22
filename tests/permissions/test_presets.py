"""The presets of the setup: what each decides, and that a person's own file is amended, not replaced."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from kram.base import UsageError
from kram.config import write_file
from kram.permissions import PRESETS, explain_command, load_policy, preset_named, with_preset


def verdicts(config: Path, project: Path, *commands: str, mode: str = "ask") -> list[str]:
    policy = load_policy(config, project, mode=mode)  # type: ignore[arg-type]
    assert not policy.problems
    return [explain_command(command, policy, project).decision for command in commands]


COMMANDS = ("ls -la", "make test", "git status", "git push origin main", "rm -rf build", "cd x && rm -rf /tmp/y")


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("recommended", ["allow", "ask", "allow", "ask", "ask", "ask"]),
        ("strict", ["ask", "ask", "allow", "ask", "deny", "deny"]),
        ("autonomous", ["allow", "allow", "allow", "ask", "allow", "deny"]),
    ],
)
def test_what_a_preset_decides(tmp_path: Path, name: str, wanted: list[str]) -> None:
    preset = preset_named(name)
    assert preset is not None
    write_file(tmp_path / "config", "permissions.toml", with_preset(tmp_path / "config", preset))
    assert verdicts(tmp_path / "config", tmp_path, *COMMANDS) == wanted


def test_recommended_asks_for_what_cannot_be_taken_back_in_every_mode(tmp_path: Path) -> None:
    preset = preset_named("recommended")
    assert preset is not None
    write_file(tmp_path / "config", "permissions.toml", with_preset(tmp_path / "config", preset))
    found = verdicts(tmp_path / "config", tmp_path, "make test", "git push", "rm -rf build", mode="auto")
    assert found == ["allow", "ask", "ask"]


OWN = """# my rules
default = "deny" # nobody asks me
[defaults]
network = "deny"
[[rules]] # the robot may
tool = "bash"
pattern = "npm test*"
decision = "allow"
[[rules]]
tool = "bash"
pattern = "git push*"
decision = "allow"
"""


def test_a_file_of_ones_own_is_amended(tmp_path: Path) -> None:
    (tmp_path / "permissions.toml").write_text(OWN)
    preset = preset_named("recommended")
    assert preset is not None
    text = with_preset(tmp_path, preset)
    assert "# my rules" in text
    assert "# the robot may" in text
    found = tomllib.loads(text)
    rules = {(one["tool"], one.get("pattern", "")): one["decision"] for one in found["rules"]}
    assert rules[("bash", "npm test*")] == "allow"
    assert rules[("bash", "git push*")] == "ask"
    assert rules[("delete_file", "")] == "ask"
    assert "default" not in found
    # Nothing was written by asking what would be.
    assert (tmp_path / "permissions.toml").read_text() == OWN


def test_another_preset_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    def content(folder: Path) -> dict[str, object]:
        found = tomllib.loads((folder / "permissions.toml").read_text())
        return {**found, "rules": sorted(found["rules"], key=str)}

    texts = {}
    for one in PRESETS:
        write_file(tmp_path, "permissions.toml", with_preset(tmp_path, one))
        texts[one.name] = content(tmp_path)
    for one in PRESETS:
        fresh = tmp_path / one.name
        write_file(fresh, "permissions.toml", with_preset(fresh, one))
        assert content(fresh) == texts[one.name]


def test_a_file_that_cannot_be_used_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "permissions.toml").write_text("rulez = []\n")
    with pytest.raises(UsageError, match="rulez"):
        with_preset(tmp_path, PRESETS[0])
