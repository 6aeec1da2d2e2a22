"""Whether a repository's own git configuration would run programs on harmless git commands. Reads files, runs nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from kram.base import NotAFile, read_bytes

MAX_CONFIG_BYTES = 256_000
MAX_MODULES = 50
_SECTION = re.compile(r'\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]\s*(.*)', re.DOTALL)
_KEY = re.compile(r"\s*([A-Za-z][\w-]*)\s*(?:=\s*(.*))?", re.DOTALL)
_HELPERS = re.compile(
    r"core\.(?:pager|editor|sshcommand|askpass|gitproxy|alternaterefscommand|worktree)|sequence\.editor|pager\..*"
    r"|diff\.external|diff\..+\.(?:command|textconv)|filter\..+\.(?:clean|smudge|process)|merge\..+\.driver|gpg(?:\..+)?\.program"
    r"|include\.path|includeif\..*|interactive\.difffilter|trailer\..+\.(?:command|cmd)|extensions\.worktreeconfig"
    r"|uploadpack\.packobjectshook|remote\..+\.(?:vcs|uploadpack|receivepack)"
)
_TRUTHS = frozenset({"", "true", "false", "yes", "no", "on", "off", "1", "0"})


def helper_in_use(root: Path, folders: Sequence[Path]) -> str:
    """The first setting that makes git run a program of the repository's choice, or why that can't be told; "" for none."""
    for folder in folders:
        if nested := _nested(root, folder):
            return f"{nested} is a repository of its own"
    try:
        found = _repository(root)
        return _first_helper(root, *found) if found else ""
    except (OSError, NotAFile, ValueError):
        return "the repository's configuration cannot be read"


def _repository(root: Path) -> tuple[Path, Path] | None:
    """The folder with the repository's own configuration, and the one with the configuration all its worktrees share."""
    for one in (root, *root.parents):
        dot_git = one / ".git"
        if dot_git.is_dir():
            return dot_git, dot_git
        if dot_git.exists():
            pointer = _text(dot_git).removeprefix("gitdir:").strip()
            folder = dot_git.parent / pointer
            common = folder / "commondir"
            return folder, folder / _text(common).strip() if common.is_file() else folder
        if _is_bare(one):
            return one, one
    return None


def _is_bare(folder: Path) -> bool:
    return (folder / "HEAD").exists() and (folder / "objects").exists() and (folder / "refs").exists()


def _text(path: Path) -> str:
    """Raises `ValueError` for a file that is too large to look through."""
    content = read_bytes(path, MAX_CONFIG_BYTES + 1)
    if len(content) > MAX_CONFIG_BYTES:
        raise ValueError("too large")
    return content.decode("utf-8", "replace")


def _nested(root: Path, folder: Path) -> str:
    """A repository between the project's folder and the one git would run in."""
    for one in (folder, *folder.parents):
        if one == root or not one.is_relative_to(root):
            return ""
        if (one / ".git").exists() or _is_bare(one):
            return str(one)
    return ""


def _first_helper(root: Path, own: Path, shared: Path) -> str:
    configs = [shared / "config", own / "config.worktree", *_of_modules(shared / "modules")]
    if len(configs) > MAX_MODULES:
        return "it has too many submodules to look through"
    hooks = [shared / "hooks", own / "hooks"]
    for place, config in enumerate(configs):
        if not config.exists():
            continue
        for key, value in settings(_text(config)):
            # A submodule's configuration always says where its files are.
            if key == "core.worktree" and place > 1:
                continue
            if _HELPERS.fullmatch(key) or (key == "core.fsmonitor" and value.lower() not in _TRUTHS):
                return f"{config} sets {key}"
            if key == "core.hookspath":
                hooks.append(root / value)
    hook = next((one / "post-index-change" for one in hooks if (one / "post-index-change").exists()), None)
    return f"{hook} would run" if hook is not None else ""


def _of_modules(folder: Path) -> Iterator[Path]:
    """Configurations of submodules, not looking into their objects."""
    for place, names, files in os.walk(folder):
        names[:] = [name for name in names if name not in ("objects", "refs", "logs", "hooks", "info", "lfs")]
        if "config" in files:
            yield Path(place, "config")


def settings(text: str) -> Iterator[tuple[str, str]]:
    """Keys in small letters (the middle part as it is written) and values of a git configuration."""
    section = ""
    for line in re.sub(r"\\\r?\n", "", text).splitlines():
        rest = line
        while found := _SECTION.match(rest):
            section = found[1].lower() + (f".{found[2].lower()}" if found[2] is not None else "")
            rest = found[3]
        if rest.lstrip().startswith(("#", ";")):
            continue
        if key := _KEY.match(rest):
            value = (key[2] or "").strip().strip('"')
            yield f"{section}.{key[1].lower()}", value
