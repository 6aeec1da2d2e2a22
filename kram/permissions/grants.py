"""What the person allowed for always in a project: kept in kram's own data folder, in force at once."""

from __future__ import annotations

import hashlib
import logging
from pathlib import Path

import msgspec

from kram.base import atomic_write

from .rules import Rule, parse_rule

log = logging.getLogger(__name__)


class GrantStore:
    """One JSON file a project, readable by its owner only. An unreadable one grants nothing and is not overwritten."""

    def __init__(self, data_folder: Path, workspace: Path) -> None:
        key = hashlib.sha256(str(workspace.resolve()).encode()).hexdigest()[:16]
        self._path = data_folder / "grants" / f"{key}.json"
        self._rules: list[Rule] = []
        self._usable = True
        if self._path.exists():
            try:
                self._rules = list(msgspec.json.decode(self._path.read_bytes(), type=list[Rule]))
            except (OSError, msgspec.MsgspecError):
                log.exception("the stored grants cannot be read: %s", self._path)
                self._usable = False

    def rules(self) -> tuple[Rule, ...]:
        return tuple(self._rules)

    def add(self, text: str) -> Rule:
        """Stores an allow rule. Raises `UsageError` for a text that is none, `OSError` where it cannot be kept."""
        rule = parse_rule(text, "allow", source="always")
        if rule not in self._rules:
            self._rules.append(rule)
            if self._usable:
                self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                atomic_write(self._path, msgspec.json.encode(self._rules), mode=0o600)
        return rule
