"""The project a session works in: its root, where paths lead, and text files read and written as they are."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from kram.base import Intent, NotAFile, Target, atomic_write, read_bytes, resolve

from .ignore import walk
from .textfile import NotText, TextFile, decode, encode

MAX_FILE_BYTES = 10_000_000


class FileProblem(Exception):
    """Why a file can't be read or written, for the model to act on."""


class Workspace:
    """`root` is real: links in its own path are resolved once. `extra_roots` are further writable folders."""

    def __init__(self, root: Path, extra_roots: Sequence[Path] = ()) -> None:
        self.root = root.resolve()
        self.extra_roots = tuple(path.resolve() for path in extra_roots)

    def resolve(self, path: str, intent: Intent, cwd: Path | None = None) -> Target:
        return resolve(path, intent, root=self.root, extra_roots=self.extra_roots, cwd=cwd)

    def relative(self, real: str) -> str:
        """As it is shown: relative to the root where it lies inside."""
        path = Path(real)
        return path.relative_to(self.root).as_posix() or "." if path.is_relative_to(self.root) else real

    def read_bytes(self, target: Target, max_bytes: int = MAX_FILE_BYTES) -> bytes:
        """The bytes of what the target names. Raises `FileProblem`."""
        if target.kind == "missing":
            raise FileProblem(f"There is no file {self.relative(target.real)}.{self._similar(target)}")
        if target.kind == "dir":
            raise FileProblem(f"{self.relative(target.real)} is a folder. Use list_dir.")
        self._still(target)
        try:
            return read_bytes(Path(target.real), max_bytes)
        except NotAFile as failure:
            raise FileProblem(f"{self.relative(target.real)} is no regular file.") from failure
        except OSError as failure:
            raise FileProblem(f"{self.relative(target.real)} cannot be read: {failure.strerror}.") from failure

    def read_text(self, target: Target) -> TextFile:
        """A whole text file. Raises `FileProblem` for binary and for oversized ones."""
        data = self.read_bytes(target, MAX_FILE_BYTES + 1)
        if len(data) > MAX_FILE_BYTES:
            raise FileProblem(f"{self.relative(target.real)} is larger than {MAX_FILE_BYTES} bytes.")
        try:
            return decode(data)
        except NotText as failure:
            raise FileProblem(f"{self.relative(target.real)} is no text file: {failure}.") from failure

    def write_text(self, target: Target, text: str, like: TextFile | None = None) -> bytes:
        """Writes atomically in the manner of `like` and returns the bytes. Makes parent folders. Raises `FileProblem`."""
        self._still(target)
        path = Path(target.real)
        try:
            data = encode(text, like)
            path.parent.mkdir(parents=True, exist_ok=True)
            atomic_write(path, data)
        except NotText as failure:
            raise FileProblem(f"Not written: {failure}.") from failure
        except OSError as failure:
            raise FileProblem(f"{self.relative(target.real)} cannot be written: {failure.strerror}.") from failure
        return data

    def list_files(self, limit: int) -> list[str]:
        """Paths of the project's files, ignore files respected. Blocks."""
        return [relative for relative, _ in walk(self.root, self.root, max_entries=limit)]

    def _still(self, target: Target) -> None:
        """The path must still lead where it was judged to lead."""
        if os.path.realpath(target.real) != target.real and target.intent != "delete":
            raise FileProblem(f"{self.relative(target.real)} changed into a link in between. Try again.")

    def _similar(self, target: Target) -> str:
        import difflib

        try:
            names = [path.name for path in Path(target.real).parent.iterdir()]
        except OSError:
            return ""
        near = difflib.get_close_matches(Path(target.real).name, names, n=3)
        return f" Did you mean {', '.join(near)}?" if near else ""
