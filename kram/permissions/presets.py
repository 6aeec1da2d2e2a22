"""Three ready-made sets of permissions for the first-run setup, and what `permissions.toml` becomes with one of them.

A preset states what holds without a rule and adds its rules to those a person already has; a rule of the same tool and
pattern gets the preset's decision. Nothing else in the file changes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from kram.base import Data
from kram.config import edited, read_toml

from .load import FILE, parse_file
from .rules import Rule
from .verdict import AccessClass, Decision


class Preset(Data):
    """`everyday`: whether commands that only look need no rule. `defaults`: by access class, where no rule fits."""

    name: str
    title: str
    summary: str
    everyday: bool
    defaults: dict[AccessClass, Decision]
    rules: tuple[Rule, ...]


def _rule(tool: str, decision: Decision, pattern: str = "") -> Rule:
    return Rule(tool=tool, pattern=pattern, decision=decision)


PRESETS: tuple[Preset, ...] = (
    Preset(
        name="recommended",
        title="Recommended",
        summary="Looks around freely; asks before it changes, runs or fetches something.",
        everyday=True,
        defaults={"read": "allow", "write": "ask", "execute": "ask", "network": "ask"},
        rules=(
            # These ask also in modes that allow the rest, and whatever was once always allowed.
            _rule("bash", "ask", "rm -rf*"),
            _rule("bash", "ask", "git push*"),
            _rule("delete_file", "ask"),
            _rule("move_file", "ask"),
        ),
    ),
    Preset(
        name="strict",
        title="Strict",
        summary="Asks for everything but reading files and `git status`; never deletes.",
        everyday=False,
        defaults={"read": "ask", "write": "ask", "execute": "ask", "network": "ask"},
        rules=(
            _rule("read_file", "allow"),
            _rule("bash", "allow", "git status*"),
            _rule("bash", "deny", "rm -rf*"),
            _rule("delete_file", "deny"),
        ),
    ),
    Preset(
        name="autonomous",
        title="Autonomous",
        summary="Works without asking; what can hurt outside the project still asks or is refused.",
        everyday=True,
        defaults={"read": "allow", "write": "allow", "execute": "allow", "network": "allow"},
        rules=(_rule("bash", "deny", "rm -rf /*"), _rule("bash", "ask", "git push*")),
    ),
)


def preset_named(name: str) -> Preset | None:
    return next((one for one in PRESETS if one.name == name), None)


def with_preset(config_folder: Path, preset: Preset) -> str:
    """The text `permissions.toml` would have. Raises `UsageError` where the present file cannot be used or changed."""
    path = config_folder / FILE
    text, content = "", dict[str, Any]()
    if path.exists():
        content = read_toml(path)
        text = path.read_text("utf-8")
        parse_file(content, path)
    rules = _merged(content.get("rules", []), preset)
    changes: dict[str, Any] = {
        "version": content.get("version", 1),
        "everyday": preset.everyday,
        "defaults": {**content.get("defaults", {}), **preset.defaults},
        "rules": rules,
    }
    if "default" in content:
        # It would take the place of what the preset states for every class.
        changes["default"] = None
    wanted = {**content, **changes}
    wanted.pop("default", None)
    parse_file(wanted, path)
    return edited(text, changes, wanted, path)


def _merged(present: list[dict[str, Any]], preset: Preset) -> list[dict[str, Any]]:
    """The person's rules in their order, then those of the preset that are new. What another preset brought goes with it."""
    new = {(rule.tool, rule.pattern): rule for rule in preset.rules}
    others = [_row(rule) for one in PRESETS for rule in one.rules]
    kept = []
    for row in present:
        stated = new.pop((row.get("tool", ""), row.get("pattern", "")), None)
        if stated is not None:
            kept.append({**row, "decision": stated.decision})
        elif row not in others:
            kept.append(dict(row))
    return kept + [_row(rule) for rule in new.values()]


def _row(rule: Rule) -> dict[str, Any]:
    row = msgspec.to_builtins(rule)
    return {key: row[key] for key in ("tool", "pattern", "decision") if row[key]}
