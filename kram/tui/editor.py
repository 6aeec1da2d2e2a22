"""Writing the prompt in the person's own editor."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path


def edited(text: str) -> str | None:
    """Runs `$VISUAL` or `$EDITOR` on a text and returns the result; None where there is no editor or it failed.

    The program belongs to the person and gets the terminal, so it is the one that is not started through `kram.base.spawn`.
    """
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    with tempfile.TemporaryDirectory(prefix="kram-") as folder:
        path = Path(folder) / "prompt.md"
        path.write_text(text, "utf-8")
        try:
            done = subprocess.run([*shlex.split(command), str(path)], check=False)
        except (OSError, ValueError):
            return None
        return path.read_text("utf-8", "replace").rstrip("\n") if done.returncode == 0 else None
