"""`permissions.toml`: the person's rules, and a project's, which may only narrow. A file that can't be used closes things.

default = "ask"                  # what holds where nothing else does; "deny" where nobody can be asked
everyday = true                  # commands that only look need no rule
defaults = { write = "ask" }     # by access class
[[rules]]
tool = "bash"
pattern = "git push*"
decision = "ask"
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec

from kram.base import Data, UsageError
from kram.config import read_toml

from .complaints import explained
from .policy import DEFAULTS, Policy
from .rules import Rule, checked, parse_rule
from .verdict import AccessClass, Decision, Mode

FILE = "permissions.toml"


class PermissionFile(Data, forbid_unknown_fields=True):
    """What the file may hold. Values that are not stated are None, since stating a default has its own meaning."""

    version: Literal[1] = 1
    default: Decision | None = None
    everyday: bool | None = None
    defaults: dict[AccessClass, Decision] = {}
    rules: tuple[Rule, ...] = ()


class PolicyFiles(Data):
    """Policy files read once: what a session starts with, it keeps. The project's part only takes away."""

    own: PermissionFile = PermissionFile()
    narrowing: tuple[Rule, ...] = ()
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def read_files(config_folder: Path, workspace: Path | None) -> PolicyFiles:
    """Never raises: what can't be used is a problem, and what a project may not say is a note."""
    problems: list[str] = []
    own = _usable(config_folder / FILE, problems)
    if workspace is None:
        return PolicyFiles(own=own, problems=tuple(problems))
    project = workspace / ".kram" / FILE
    found = _usable(project, problems)
    refused = [f"the rule {rule}" for rule in found.rules if rule.decision == "allow"]
    refused += [key for key in ("default", "everyday", "defaults") if getattr(found, key)]
    notes = (f"Not used of {project}: {', '.join(refused)}. A project can only narrow.",) if refused else ()
    narrowing = tuple(rule for rule in found.rules if rule.decision != "allow")
    return PolicyFiles(own=own, narrowing=narrowing, problems=tuple(problems), notes=notes)


def make_policy(
    files: PolicyFiles,
    *,
    mode: Mode,
    allow: Sequence[str] = (),
    ask: Sequence[str] = (),
    deny: Sequence[str] = (),
    granted: Sequence[Rule] = (),
) -> Policy:
    """Flags, the person's file, what the project takes away, and what was granted. Raises `UsageError` for a wrong flag only."""
    flags: tuple[tuple[Decision, Sequence[str]], ...] = (("allow", allow), ("ask", ask), ("deny", deny))
    rules = [parse_rule(text, decision, source=f"--{decision}") for decision, texts in flags for text in texts]
    own = files.own
    return Policy(
        mode=mode,
        default=own.default or "ask",
        defaults=_defaults(own),
        rules=(*rules, *own.rules, *files.narrowing, *granted),
        # Who says what holds without a rule means it: then nothing built in is added unasked.
        everyday=own.everyday if own.everyday is not None else own.default is None and "execute" not in own.defaults,
        problems=files.problems,
        notes=files.notes,
    )


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
    """Reads the files and makes the policy in one go; see `read_files` and `make_policy`."""
    return make_policy(
        read_files(config_folder, workspace), mode=mode, allow=allow, ask=ask, deny=deny, granted=granted
    )


def read_policy_file(path: Path) -> Policy:
    """A policy from one file alone, nothing built in but what the file asks for: for `kram permissions explain --policy`."""
    problems: list[str] = []
    found = _usable(path, problems, missing_ok=False)
    return Policy(
        default=found.default or "ask",
        defaults=_defaults(found),
        rules=found.rules,
        everyday=bool(found.everyday),
        problems=tuple(problems),
    )


def _defaults(found: PermissionFile) -> dict[AccessClass, Decision]:
    """The shipped defaults, a stated general one in place of those that would ask, and what is stated for a class."""
    general = found.default or "ask"
    shipped: dict[AccessClass, Decision] = {
        access: decision if decision == "allow" else general for access, decision in DEFAULTS.items()
    }
    return {**shipped, **found.defaults}


def _usable(path: Path, problems: list[str], *, missing_ok: bool = True) -> PermissionFile:
    """A missing file is an empty one; an unusable one is a problem."""
    try:
        if missing_ok and not _there(path):
            return PermissionFile()
        return parse_file(read_toml(path), path)
    except UsageError as failure:
        problems.append(str(failure))
    except (OSError, ValueError, RecursionError) as failure:
        problems.append(f"{path}: {failure}")
    return PermissionFile()


def _there(path: Path) -> bool:
    """A link that leads nowhere is there, and can't be used."""
    return path.is_symlink() or path.exists()


def parse_file(content: Mapping[str, Any], path: Path) -> PermissionFile:
    """Raises `UsageError` naming the file, the key and the closest key there is, or the rule."""
    try:
        found = msgspec.convert(content, PermissionFile)
    except msgspec.ValidationError as failure:
        raise explained(content, str(failure), path, PermissionFile, get_args(AccessClass)) from failure
    sourced = tuple(checked(msgspec.structs.replace(rule, source=str(path))) for rule in found.rules)
    return msgspec.structs.replace(found, rules=sourced)
