"""Which projects a person trusts: remembered by real path and by the content of everything in them that can run or configure.

A change of any of it asks again and shows what changed. Nothing is executed or obeyed to find out. The format is our own,
`trust.toml` in the data folder: `version`, and for each project its answer and the SHA-256 of each file. What was trusted
is kept in `trusted/`, a file for each hash, so that a change can be shown line by line.

Instruction files are named too, since nothing of them is sent before trust; a change of one does not ask again.
"""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec
import tomli_w

from kram.base import Data, UsageError, atomic_write, content_hash, read_bytes

FILE = "trust.toml"
COPIES = "trusted"
MAX_COPY_BYTES = 256_000
WATCHED = (
    ".kram/config.toml",
    ".kram/permissions.toml",
    ".kram/lsp.toml",
    ".kram/skills",
    ".agents/skills",
    ".claude/skills",
    ".kram/commands",
    ".kram/tools",
    ".mcp.json",
)
MAX_FILES = 2_000
MAX_BYTES = 32_000_000

Standing: TypeAlias = Literal["trusted", "new", "changed", "declined"]


class TrustState(Data):
    """How a project stands. `files`: what was looked at, by relative name. `changes`: `+ name`, `- name`, `~ name`.

    `digest` stands for exactly this content and is what an answer is bound to. `problem`: why it cannot be trusted at all.
    `before`: relative name -> the hash that was answered to.
    """

    standing: Standing
    digest: str
    files: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    problem: str = ""
    before: dict[str, str] = {}


class _Answer(Data, forbid_unknown_fields=True):
    trusted: bool
    files: dict[str, str] = {}


class _Remembered(Data, forbid_unknown_fields=True):
    version: Literal[1] = 1
    projects: dict[str, _Answer] = {}


class TrustStore:
    """The answers in one folder. Every question reads the disk anew; a file that cannot be read counts as no answer."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._copies = folder / COPIES

    def state(self, workspace: Path) -> TrustState:
        """Reads the watched files of a project and compares them with what was answered. Never raises."""
        try:
            seen = _fingerprint(workspace)
        except (OSError, UsageError) as failure:
            return TrustState(standing="new", digest="", problem=str(failure))
        answer = self._answers().projects.get(os.path.realpath(workspace))
        standing: Standing = "new"
        changes: tuple[str, ...] = ()
        if answer is not None:
            changes = tuple(_changes(answer.files, seen))
            standing = "changed" if changes else ("trusted" if answer.trusted else "declined")
        before = answer.files if answer is not None else {}
        return TrustState(standing=standing, digest=_digest(seen), files=tuple(seen), changes=changes, before=before)

    def answer(self, workspace: Path, shown: TrustState, *, trusted: bool) -> None:
        """Keeps the answer to what was shown. Raises `UsageError` where it changed since, or cannot be trusted at all."""
        copies: dict[str, bytes] = {}
        try:
            seen = _fingerprint(workspace, copies if trusted else None)
        except OSError as failure:
            raise UsageError(f"The project cannot be read: {failure}", where=str(workspace)) from failure
        if trusted and (shown.problem or _digest(seen) != shown.digest):
            raise UsageError(
                "The project changed while you were asked", where=str(workspace), todo="Look at it again, then answer"
            )
        self._keep_copies(copies)
        self._keep(os.path.realpath(workspace), _Answer(trusted=trusted, files=seen))

    def copy(self, digest: str) -> str | None:
        """The text of a file as it was trusted; None where no copy was kept."""
        try:
            return read_bytes(self._copies / digest, MAX_COPY_BYTES).decode("utf-8", "replace")
        except OSError:
            return None

    def forget(self, workspace: Path) -> None:
        """The next start asks again."""
        self._keep(os.path.realpath(workspace), None)

    def _answers(self) -> _Remembered:
        try:
            return msgspec.convert(tomllib.loads(self._path.read_text("utf-8")), _Remembered)
        except (OSError, ValueError, msgspec.ValidationError):
            return _Remembered()

    def _keep(self, place: str, answer: _Answer | None) -> None:
        projects = dict(self._answers().projects)
        projects.pop(place, None)
        if answer is not None:
            projects[place] = answer
        content = msgspec.to_builtins(_Remembered(projects=projects))
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        atomic_write(self._path, tomli_w.dumps(content).encode(), mode=0o600)
        self._forget_copies({digest for one in projects.values() for digest in one.files.values()})

    def _keep_copies(self, copies: Mapping[str, bytes]) -> None:
        """Copies only serve to show changes: one that cannot be kept costs the view of its lines."""
        with suppress(OSError):
            self._copies.mkdir(parents=True, exist_ok=True, mode=0o700)
            for digest, content in copies.items():
                atomic_write(self._copies / digest, content, mode=0o600)

    def _forget_copies(self, needed: set[str]) -> None:
        with suppress(OSError):
            for copy in self._copies.iterdir():
                if copy.name not in needed:
                    copy.unlink()


def _fingerprint(workspace: Path, copies: dict[str, bytes] | None = None) -> dict[str, str]:
    """Relative name -> SHA-256 of every watched file; links are followed, and where they lead is part of the content.

    `copies` gets the content of those that are not too large, by hash.
    """
    root = Path(os.path.realpath(workspace))
    found: dict[str, str] = {}
    total = 0
    for name, path in _files(root):
        real = Path(os.path.realpath(path))
        content = read_bytes(real, MAX_BYTES + 1)
        total += len(content)
        if len(found) >= MAX_FILES or total > MAX_BYTES:
            raise UsageError("There is too much below .kram to check it", where=str(root), todo="Move it elsewhere")
        leads = b"" if real == path else os.fsencode(real)
        found[name] = content_hash(leads + b"\0" + content)
        if copies is not None and len(content) <= MAX_COPY_BYTES:
            copies[found[name]] = content
    return found


def _files(root: Path) -> Iterator[tuple[str, Path]]:
    for name in WATCHED:
        top = root / name
        if top.is_dir():
            yield from _below(top, name, set())
        elif os.path.lexists(top):
            yield name, top


def _below(folder: Path, name: str, above: set[str]) -> Iterator[tuple[str, Path]]:
    """Files in a folder, sorted. A link that leads back to a folder it lies in is not followed again."""
    real = os.path.realpath(folder)
    if real in above:
        return
    for entry in sorted(os.scandir(folder), key=lambda one: one.name):
        inner = f"{name}/{os.fsencode(entry.name).decode('utf-8', 'backslashreplace')}"
        if entry.is_dir():
            yield from _below(Path(entry.path), inner, {*above, real})
        else:
            yield inner, Path(entry.path)


def _digest(files: dict[str, str]) -> str:
    return hashlib.sha256("\n".join(f"{files[name]} {name}" for name in sorted(files)).encode()).hexdigest()


def _changes(before: dict[str, str], now: dict[str, str]) -> Iterator[str]:
    for name in sorted({*before, *now}):
        if name not in before:
            yield f"+ {name}"
        elif name not in now:
            yield f"- {name}"
        elif before[name] != now[name]:
            yield f"~ {name}"
