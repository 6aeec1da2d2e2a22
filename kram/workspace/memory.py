"""Facts kept for later sessions: one small Markdown file a project and one for all, in kram's own data folder."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from kram.base import atomic_write

MAX_CHARS = 2_400
_ITEM = re.compile(r"^- (?:\[(?P<id>m\d+)\] )?(?P<text>.+)$", re.MULTILINE)


class Memory:
    """`text` for the prompt, `add` for `#`. A person may edit the files by hand: every `- ` line is a fact."""

    def __init__(self, data_folder: Path, workspace: Path) -> None:
        key = hashlib.sha256(str(workspace).encode()).hexdigest()[:16]
        self._project = data_folder / "memory" / f"{workspace.name}-{key}.md"
        self._global = data_folder / "memory" / "global.md"

    def text(self) -> str:
        """All facts with their ids, the project's first; "" where there are none."""
        rows = [f"- [{scope} {number}] {fact}" for scope, number, fact in self._facts()]
        return "\n".join(rows)[: 2 * MAX_CHARS]

    def add(self, fact: str) -> str:
        """Keeps a fact for this project and says so, or says why not."""
        fact = " ".join(fact.split())
        if not fact:
            return "Nothing to remember."
        before = self._read(self._project)
        if len(before) + len(fact) > MAX_CHARS:
            return f"The project's memory is full ({MAX_CHARS} characters). Shorten {self._project} first."
        self._project.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        atomic_write(self._project, f"{before.rstrip()}\n- {fact}\n".lstrip().encode(), mode=0o600)
        return f"Remembered for this project: {fact}"

    def _facts(self) -> list[tuple[str, int, str]]:
        found = []
        for scope, path in (("project", self._project), ("global", self._global)):
            items = _ITEM.finditer(self._read(path))
            found += [(scope, number, item["text"]) for number, item in enumerate(items, start=1)]
        return found

    @staticmethod
    def _read(path: Path) -> str:
        try:
            return path.read_text("utf-8", "replace")
        except OSError:
            return ""
