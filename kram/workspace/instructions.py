"""Instruction files: the person's own, then from the project's root down to where work happens, nested ones when touched.

`AGENTS.md`, or `CLAUDE.md` in a folder that has none, each followed by what it imports with `@path`. Read anew when they
change. A project's files and their imports lie inside the project, the person's own inside the configuration folder; what
is not loaded, and why, is told and never silently missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, TypeAlias

from kram.base import Data, NotAFile, content_hash, read_bytes

from .imports import imported_paths

NAMES = ("AGENTS.md", "CLAUDE.md")
MAX_CHARS = 20_000
"""Of one file."""
MAX_TOTAL_CHARS = 60_000
MAX_DEPTH = 5
MAX_FILES = 50
_NAMED = 4

Scope: TypeAlias = Literal["global", "project", "nested"]


class InstructionFile(Data):
    """One loaded file; `path` as it is shown, `scope` where it came from, `imported_by` the file that named it."""

    path: str
    text: str
    scope: Scope
    imported_by: str = ""


class Instructions:
    """`current` gives what applies now; `touch` a path and the files of its folders join from then on.

    `trusted` is asked each time: of a project that is not trusted nothing applies but what this session wrote anew
    (`written`); `project_files` names what would.
    """

    def __init__(self, root: Path, config_folder: Path, trusted: Callable[[], bool]) -> None:
        self._trusted = trusted
        self._root = root
        self._config = config_folder
        above = _ancestors(root)
        self._project = above[0]
        self._folders: list[tuple[Path, Scope]] = [(folder, "project") for folder in above]
        self._own: set[Path] = set()
        self._cache: dict[Path, tuple[int, int, str]] = {}
        self._told: dict[str, str] = {}
        self._told_problems: frozenset[str] = frozenset()
        self.problems: tuple[str, ...] = ()

    @property
    def trusted(self) -> bool:
        return self._trusted()

    def current(self) -> tuple[InstructionFile, ...]:
        """Outermost first, each file once. `problems` then says what was left out."""
        found, self.problems = self._loaded(project=self.trusted)
        return found

    def project_files(self) -> tuple[Path, ...]:
        """The project's files that apply, or would if it were trusted."""
        return tuple(self._root / one.path for one in self._loaded(project=True)[0] if one.scope != "global")

    def written(self, real: str) -> None:
        """A file is about to be made through the gate: whoever allowed its text need not trust the project for it."""
        path = Path(real)
        if path.name in NAMES and not path.exists():
            self._own.add(path)

    def _loaded(self, *, project: bool) -> tuple[tuple[InstructionFile, ...], tuple[str, ...]]:
        reading = _Reading(self, imports=project)
        own = self._config / NAMES[0]
        found = list(reading.load(own, "global", self._config))
        for folder, scope in self._folders:
            for name in NAMES:
                if not project and folder / name not in self._own:
                    continue
                if loaded := list(reading.load(folder / name, scope, self._project)):
                    found += loaded
                    break
        return tuple(found), tuple(reading.problems)

    def touch(self, real: str) -> tuple[str, ...]:
        """A file or folder inside the project was used; returns the instruction files that apply for the first time."""
        path = Path(real)
        if not path.is_relative_to(self._root):
            return ()
        folder = path if path.is_dir() else path.parent
        known = {one for one, _ in self._folders}
        inner = [one for one in (folder, *folder.parents) if one.is_relative_to(self._root) and one not in known]
        if not inner:
            return ()
        before = {one.path for one in self._loaded(project=True)[0]}
        self._folders += [(one, "nested") for one in reversed(inner)]
        new = [one for one in self._loaded(project=True)[0] if one.path not in before]
        if self.trusted:
            self._told.update({one.path: _digest(one) for one in new})
        return tuple(one.path for one in new)

    def news(self) -> tuple[str, ...]:
        """What a person should be told since this was last asked: files loaded, changed, gone, and what was left out."""
        now = {one.path: _digest(one) for one in self.current()}
        new = [path for path in now if path not in self._told]
        changed = [path for path in now if path in self._told and self._told[path] != now[path]]
        gone = [path for path in self._told if path not in now]
        problems = [one for one in self.problems if one not in self._told_problems]
        self._told, self._told_problems = now, frozenset(self.problems)
        said = [("Loaded", new), ("Changed, read again:", changed), ("No longer there:", gone)]
        return (*(f"{what} {_names(paths)}" for what, paths in said if paths), *problems)

    # --- files ------------------------------------------------------------------------------------------------------

    def read(self, path: Path) -> str:
        """The text, "" where there is none. Raises `OSError` for what is there and cannot be read."""
        real = path.resolve()
        try:
            found = real.stat()
        except (FileNotFoundError, NotADirectoryError):
            return ""
        key = (found.st_mtime_ns, found.st_size)
        cached = self._cache.get(real)
        if cached and cached[:2] == key:
            return cached[2]
        text = read_bytes(real, MAX_CHARS * 4 + 4).decode("utf-8-sig", "replace").replace("\r\n", "\n")
        self._cache[real] = (*key, text)
        return text

    def shown(self, path: Path) -> str:
        """Relative to the workspace where it lies inside."""
        return path.relative_to(self._root).as_posix() if path.is_relative_to(self._root) else str(path)


class _Reading:
    """One pass over all files: what was seen already, how much room is left, what went wrong."""

    def __init__(self, owner: Instructions, *, imports: bool) -> None:
        self._owner = owner
        self._imports = imports
        self._seen: set[Path] = set()
        self._chars = 0
        self.problems: dict[str, None] = {}

    def load(
        self, path: Path, scope: Scope, inside: Path, *, by: str = "", wanted: str = "", depth: int = 0
    ) -> Iterator[InstructionFile]:
        """A file and, behind it, what it imports. An import that cannot be loaded is a problem; a missing file is not."""
        shown = self._owner.shown(path)
        name = f"@{wanted} in {by}" if by else shown
        try:
            real = path.resolve()
        except (OSError, RuntimeError, ValueError) as failure:
            self._problem(f"{name} leads nowhere: {failure}")
            return
        if real in self._seen:
            return
        # The person's own file may be a link to wherever they keep such files.
        if (by or scope != "global") and not real.is_relative_to(inside.resolve()):
            if by or path.exists():
                self._problem(f"{name} leads outside of {inside} and is not loaded")
            return
        try:
            text = self._owner.read(path)
        except (OSError, NotAFile) as failure:
            self._problem(f"{name} cannot be read: {failure.strerror or failure}")
            return
        if not text.strip():
            if by and not path.is_file():
                self._problem(f"{name}: there is no such file")
            return
        self._seen.add(real)
        if len(self._seen) > MAX_FILES or self._chars + min(len(text), MAX_CHARS) > MAX_TOTAL_CHARS:
            self._problem(
                f"{shown} is not loaded: the instruction files are over {MAX_TOTAL_CHARS} characters together"
            )
            return
        kept = self._cut(text, shown)
        self._chars += len(kept)
        yield InstructionFile(path=shown, text=kept, scope=scope, imported_by=by)
        for one in imported_paths(kept) if self._imports or scope == "global" else ():
            if depth >= MAX_DEPTH:
                self._problem(f"@{one} in {shown} is not loaded: imports go {MAX_DEPTH} files deep")
                continue
            target = Path(one).expanduser() if one.startswith("~/") else path.parent / one
            yield from self.load(target, scope, inside, by=shown, wanted=one, depth=depth + 1)

    def _cut(self, text: str, shown: str) -> str:
        if len(text) <= MAX_CHARS:
            return text
        self._problem(f"{shown} is longer than {MAX_CHARS} characters; what follows is left out")
        head = text[:MAX_CHARS]
        return f"{head[: head.rfind(chr(10)) + 1] or head}[cut: the file is longer than {MAX_CHARS} characters]"

    def _problem(self, text: str) -> None:
        self.problems[text] = None


def _names(paths: list[str]) -> str:
    listed = ", ".join(paths[:_NAMED])
    return listed if len(paths) == 1 else f"{listed}{', …' if len(paths) > _NAMED else ''} ({len(paths)} files)"


def _digest(one: InstructionFile) -> str:
    return content_hash(one.text.encode("utf-8", "replace"))


def _ancestors(root: Path) -> list[Path]:
    """From the repository's root (the nearest folder with `.git`) down to the workspace; the workspace alone without one."""
    for count, folder in enumerate((root, *root.parents)):
        if (folder / ".git").exists():
            return [*reversed(root.parents[:count]), root]
    return [root]
