"""Where a path really leads. One resolution, used by the path guard, the permission gate and every file tool.

Resolution comes first, judging second: `..`, `~`, absolute paths and links at any depth (dangling ones too) are
followed to the real target, and that target is what is shown, judged and opened.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from .data import Data

Intent: TypeAlias = Literal["read", "write", "delete"]


class Target(Data):
    """A path as given and the object it names.

    `real` is absolute and free of links; `root` the workspace root or added directory it lies in, "" when outside all of them.
    `kind`: file, dir, missing, other (device, pipe, socket). `via_link`: a link took part. `links`: hard links of a file.
    """

    given: str
    real: str
    intent: Intent
    root: str = ""
    kind: Literal["file", "dir", "missing", "other"] = "missing"
    via_link: bool = False
    links: int = 1

    @property
    def inside(self) -> bool:
        return bool(self.root)
