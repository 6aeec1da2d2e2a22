"""Which paths a walk leaves out: what git ignores, what `.kramignore` names, and folders nobody reads by hand."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from pathspec import GitIgnoreSpec

ALWAYS = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        "node_modules",
        "__pycache__",
        ".venv",
        "venv",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".tox",
        ".turbo",
        ".next",
        ".kram",
    }
)
FILES = (".gitignore", ".kramignore")


class Ignore:
    """Rules of one tree; a folder's own files are read when the walk enters it."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._specs: dict[str, GitIgnoreSpec | None] = {}

    def ignored(self, relative: str, *, is_dir: bool) -> bool:
        """Whether a path (relative to the root, with `/`) is left out; its parents are taken to be walked."""
        parts = relative.split("/")
        if parts[-1] in ALWAYS and is_dir:
            return True
        verdict = False
        for depth in range(len(parts)):
            spec = self._spec("/".join(parts[:depth]))
            if spec is None:
                continue
            below = "/".join(parts[depth:]) + ("/" if is_dir else "")
            found = spec.check_file(below).include
            if found is not None:
                verdict = found
        return verdict

    def _spec(self, folder: str) -> GitIgnoreSpec | None:
        if folder not in self._specs:
            lines: list[str] = []
            for name in FILES:
                try:
                    lines += (self._root / folder / name).read_text("utf-8", "replace").splitlines()
                except OSError:
                    continue
            self._specs[folder] = GitIgnoreSpec.from_lines(lines) if lines else None
        return self._specs[folder]


def walk(root: Path, start: Path, *, max_entries: int = 200_000) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Files below `start` as (path relative to `root`, entry), by name; links to folders and other devices are not entered."""
    ignore = Ignore(root)
    device = start.stat().st_dev
    stack = [start]
    left = max_entries
    while stack:
        folder = stack.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            continue
        deeper: list[Path] = []
        for entry in entries:
            left -= 1
            if left < 0:
                return
            relative = os.path.relpath(entry.path, root).replace(os.sep, "/")
            is_dir = entry.is_dir(follow_symlinks=False)
            if ignore.ignored(relative, is_dir=is_dir):
                continue
            if is_dir:
                if entry.stat(follow_symlinks=False).st_dev == device:
                    deeper.append(Path(entry.path))
            elif entry.is_file(follow_symlinks=False):
                yield relative, entry
        stack += reversed(deeper)
