"""What the person allowed for always in a project: kept in kram's own data folder, in force at once."""

from __future__ import annotations

import hashlib
import logging
import os
import stat
from pathlib import Path

import msgspec

from kram.base import NotAFile, UsageError, atomic_write, read_bytes

from .rules import Rule, checked, parse_rule

MAX_BYTES = 1_000_000
log = logging.getLogger(__name__)


class GrantStore:
    """One JSON file a project (by its real path), readable by its owner only.

    A file that can't be read, isn't the person's own, or could be written by others grants nothing and is left alone.
    """

    def __init__(self, data_folder: Path, workspace: Path) -> None:
        self._workspace = str(workspace.resolve())
        key = hashlib.sha256(self._workspace.encode("utf-8", "surrogateescape")).hexdigest()[:16]
        self._path = data_folder / "grants" / f"{key}.json"
        self._usable = True
        self._rules = self._read()

    @property
    def problem(self) -> str:
        """Why stored grants are not used, "" where they are."""
        return "" if self._usable else f"The stored grants cannot be used: {self._path}"

    def rules(self) -> tuple[Rule, ...]:
        return tuple(self._rules)

    def add(self, text: str) -> Rule:
        """Stores an allow rule. Raises `UsageError` for a text that is none, `OSError` where it cannot be kept."""
        rule = parse_rule(text, "allow", source="always")
        self._keep([*(one for one in self._current() if one != rule), rule])
        return rule

    def remove(self, text: str) -> bool:
        """Takes a rule back; whether it was there. Raises `OSError` where that cannot be kept."""
        kept = [one for one in self._current() if str(one) != text]
        there = len(kept) != len(self._current())
        self._keep(kept)
        return there

    def _current(self) -> list[Rule]:
        """With what another session of the same project has added meanwhile."""
        return self._read() if self._usable and self._path.exists() else self._rules

    def _keep(self, rules: list[Rule]) -> None:
        self._rules = rules
        if self._usable:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            atomic_write(self._path, msgspec.json.encode(rules), mode=0o600)

    def _read(self) -> list[Rule]:
        try:
            found = os.lstat(self._path)
        except FileNotFoundError:
            return []
        except OSError:
            return self._refused("it cannot be looked at")
        if not stat.S_ISREG(found.st_mode) or found.st_uid not in (os.geteuid(), 0) or found.st_mode & 0o022:
            return self._refused("it is not a file that only its owner can write")
        try:
            rules = msgspec.json.decode(read_bytes(self._path, MAX_BYTES), type=list[Rule])
            return [checked(rule) for rule in rules if rule.decision == "allow"]
        except (OSError, NotAFile, ValueError, UsageError) as failure:
            return self._refused(str(failure))

    def _refused(self, why: str) -> list[Rule]:
        log.error("the stored grants are not used: %s: %s", self._path, why)
        self._usable = False
        return []
