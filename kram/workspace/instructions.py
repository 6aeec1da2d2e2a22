"""Instruction files: the person's own, then from the project's root down to where work happens, nested ones when touched.

`AGENTS.md`, or `CLAUDE.md` in a folder that has none. Read anew when they change, never from outside the project's root
(but for the person's own file in the configuration folder).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

from kram.base import Data, NotAFile, read_bytes

NAMES = ("AGENTS.md", "CLAUDE.md")
MAX_CHARS = 20_000


class InstructionFile(Data):
    """One loaded file; `path` as it is shown, `scope` where it came from."""

    path: str
    text: str
    scope: Literal["global", "project", "nested"]


class Instructions:
    """`current` gives what applies now; `touch` a path and the files of its folders join from then on.

    `trusted` is asked each time: of a project that is not trusted nothing is read but what `project_files` names.
    """

    def __init__(self, root: Path, config_folder: Path, trusted: Callable[[], bool]) -> None:
        self._trusted = trusted
        self._root = root
        self._config = config_folder
        self._folders: list[tuple[Path, Literal["project", "nested"]]] = [
            (folder, "project") for folder in _ancestors(root)
        ]
        self._cache: dict[Path, tuple[int, int, str]] = {}

    @property
    def trusted(self) -> bool:
        return self._trusted()

    def current(self) -> tuple[InstructionFile, ...]:
        """Outermost first. A file that cannot be read is left out."""
        found: list[InstructionFile] = []
        if text := self._read(self._config / NAMES[0]):
            found.append(InstructionFile(path=str(self._config / NAMES[0]), text=text, scope="global"))
        if self._trusted():
            found += [
                InstructionFile(path=self._shown(path), text=self._read(path), scope=scope)
                for path, scope in self._present()
            ]
        return tuple(found)

    def project_files(self) -> tuple[Path, ...]:
        """The project's files that apply, or would if it were trusted."""
        return tuple(path for path, _ in self._present())

    def _present(self) -> Iterator[tuple[Path, Literal["project", "nested"]]]:
        for folder, scope in self._folders:
            for name in NAMES:
                if self._read(folder / name):
                    yield folder / name, scope
                    break

    def touch(self, real: str) -> tuple[str, ...]:
        """A file or folder inside the project was used; returns the instruction files that apply for the first time."""
        path = Path(real)
        if not path.is_relative_to(self._root):
            return ()
        folder = path if path.is_dir() else path.parent
        known = {one for one, _ in self._folders}
        inner = [one for one in (folder, *folder.parents) if one.is_relative_to(self._root) and one not in known]
        new = list(reversed(inner))
        self._folders += [(one, "nested") for one in new]
        return tuple(self._shown(one / name) for one in new for name in NAMES[:1] if self._read(one / name))

    def _read(self, path: Path) -> str:
        try:
            found = path.stat()
            key = (found.st_mtime_ns, found.st_size)
            cached = self._cache.get(path)
            if cached and cached[:2] == key:
                return cached[2]
            if path.is_symlink() and not path.resolve().is_relative_to(self._root):
                return ""
            data = read_bytes(path.resolve(), MAX_CHARS * 4)
        except (OSError, NotAFile):
            return ""
        text = data.decode("utf-8-sig", "replace")
        if len(text) > MAX_CHARS:
            text = f"{text[:MAX_CHARS]}\n[cut: the file is longer than {MAX_CHARS} characters]"
        self._cache[path] = (*key, text)
        return text

    def _shown(self, path: Path) -> str:
        return str(path.relative_to(self._root)) if path.is_relative_to(self._root) else str(path)


def _ancestors(root: Path) -> list[Path]:
    """From the repository's root (the nearest folder with `.git`) down to the workspace; the workspace alone without one."""
    for count, folder in enumerate((root, *root.parents)):
        if (folder / ".git").exists():
            return [*reversed(root.parents[:count]), root]
    return [root]
