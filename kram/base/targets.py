"""Where a path really leads. One resolution, used by the path guard, the permission gate and every file tool.

Resolution comes first, judging second: `..`, `~`, absolute paths and links at any depth (dangling ones too) are
followed to the real target, and that target is what is shown, judged and opened.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from .data import Data

Intent: TypeAlias = Literal["read", "write", "delete"]
TargetKind: TypeAlias = Literal["file", "dir", "missing", "other"]


class Target(Data):
    """A path as given and the object it names.

    `real` is absolute and free of links; `root` the workspace root or added directory it lies in, "" when outside all of them.
    `kind`: file, dir, missing, other (device, pipe, socket). `via_link`: a link took part. `links`: hard links of a file.
    """

    given: str
    real: str
    intent: Intent
    root: str = ""
    kind: TargetKind = "missing"
    via_link: bool = False
    links: int = 1

    @property
    def inside(self) -> bool:
        return bool(self.root)


def resolve(
    path: str, intent: Intent, *, root: Path, extra_roots: Sequence[Path] = (), cwd: Path | None = None
) -> Target:
    """Follows a path to what it names. Relative ones start at `cwd` (default: the root). Never raises for odd paths.

    Deleting acts on the name itself, so a last link is not followed then.
    """
    cleaned = path.replace("\0", "\ufffd") or "."
    try:
        start = Path(cleaned).expanduser()
    except RuntimeError:
        start = Path(cleaned)
    absolute = start if start.is_absolute() else (cwd or root) / start
    lexical = os.path.normpath(absolute)
    if intent == "delete" and absolute.name not in ("", "..") and os.path.lexists(absolute):
        real = str(Path(os.path.realpath(absolute.parent)) / absolute.name)
    else:
        real = os.path.realpath(absolute)
    kind, links = _look(real)
    return Target(
        given=path,
        real=real,
        intent=intent,
        root=_root_of(real, [root, *extra_roots]),
        kind=kind,
        via_link=real != lexical,
        links=links,
    )


def _root_of(real: str, roots: Sequence[Path]) -> str:
    for root in roots:
        base = os.path.realpath(root)
        if real == base or real.startswith(base.rstrip(os.sep) + os.sep):
            return base
    return ""


def _look(real: str) -> tuple[TargetKind, int]:
    try:
        found = os.lstat(real)
    except (OSError, ValueError):
        return "missing", 1
    if stat.S_ISREG(found.st_mode) or stat.S_ISLNK(found.st_mode):
        return "file", found.st_nlink
    return ("dir" if stat.S_ISDIR(found.st_mode) else "other"), 1
