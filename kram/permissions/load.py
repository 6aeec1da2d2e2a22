"""`permissions.toml`: the person's rules, and a project's, which may only narrow. A file that can't be used closes things."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from kram.base import Data

from .policy import DEFAULTS, Policy
from .rules import Rule, parse_rule
from .verdict import AccessClass, Decision, Mode

FILE = "permissions.toml"


class PermissionFile(Data, forbid_unknown_fields=True):
    version: Literal[1] = 1
    default: Decision = "ask"
    defaults: dict[AccessClass, Decision] = {}
    rules: tuple[Rule, ...] = ()


def load_policy(
    config_folder: Path,
    workspace: Path,
    *,
    mode: Mode,
    allow: Sequence[str] = (),
    ask: Sequence[str] = (),
    deny: Sequence[str] = (),
    granted: Sequence[Rule] = (),
) -> Policy:
    """Flags, then the person's file, then what the project takes away. Raises `UsageError` for a wrong flag only."""
    flags: tuple[tuple[Decision, Sequence[str]], ...] = (("allow", allow), ("ask", ask), ("deny", deny))
    rules = [parse_rule(text, decision, source="a flag") for decision, texts in flags for text in texts]
    problems: list[str] = []
    own = _read(config_folder / FILE, problems)
    rules += [_sourced(rule, config_folder / FILE) for rule in own.rules]
    project = workspace / ".kram" / FILE
    narrowing = _read(project, problems)
    rules += [_sourced(rule, project) for rule in narrowing.rules if rule.decision != "allow"]
    return Policy(
        mode=mode,
        default=own.default,
        defaults={**DEFAULTS, **own.defaults},
        rules=(*rules, *granted),
        problems=tuple(problems),
    )


def _read(path: Path, problems: list[str]) -> PermissionFile:
    """A missing file is an empty one; an unusable one is noted."""
    if not path.exists():
        return PermissionFile()
    try:
        return msgspec.convert(tomllib.loads(path.read_text("utf-8")), PermissionFile)
    except (OSError, ValueError) as failure:
        problems.append(f"{path}: {failure}")
        return PermissionFile()


def read_policy_file(path: Path) -> Policy:
    """A policy from one file alone, for `kram permissions explain --policy`."""
    problems: list[str] = []
    found = _read(path, problems)
    return Policy(
        default=found.default, defaults={**DEFAULTS, **found.defaults}, rules=found.rules, problems=tuple(problems)
    )


def _sourced(rule: Rule, path: Path) -> Rule:
    return msgspec.structs.replace(rule, source=str(path))
