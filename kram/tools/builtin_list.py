"""The built-in tools in the order the person sees them."""

from __future__ import annotations

from .builtin.delete_file import DeleteFile
from .builtin.edit_file import EditFile
from .builtin.glob_files import GlobFiles
from .builtin.grep import Grep
from .builtin.list_dir import ListDir
from .builtin.move_file import MoveFile
from .builtin.read_file import ReadFile
from .builtin.write_file import WriteFile
from .tool import Tool


def builtin_tools() -> tuple[Tool, ...]:
    """Fresh instances; tools hold no state of their own."""
    return (
        ReadFile(),
        WriteFile(),
        EditFile(),
        ListDir(),
        GlobFiles(),
        Grep(),
        MoveFile(),
        DeleteFile(),
    )
