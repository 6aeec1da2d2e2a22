"""The built-in tools in the order the person sees them."""

from __future__ import annotations

from .builtin.artifact_read import ArtifactRead
from .builtin.ask_question import AskQuestion
from .builtin.bash import Bash
from .builtin.delete_file import DeleteFile
from .builtin.edit_file import EditFile
from .builtin.glob_files import GlobFiles
from .builtin.grep import Grep
from .builtin.list_dir import ListDir
from .builtin.memory_search import MemorySearch
from .builtin.memory_write import MemoryWrite
from .builtin.move_file import MoveFile
from .builtin.process_kill import ProcessKill
from .builtin.process_list import ProcessList
from .builtin.process_output import ProcessOutput
from .builtin.process_write import ProcessWrite
from .builtin.read_file import ReadFile
from .builtin.run_background import RunBackground
from .builtin.session_search import SessionSearch
from .builtin.skill import SkillTool
from .builtin.skill_list import SkillList
from .builtin.todo_read import TodoRead
from .builtin.todo_write import TodoWrite
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
        Bash(),
        RunBackground(),
        ProcessList(),
        ProcessOutput(),
        ProcessWrite(),
        ProcessKill(),
        ArtifactRead(),
        AskQuestion(),
        TodoWrite(),
        TodoRead(),
        MemoryWrite(),
        MemorySearch(),
        SessionSearch(),
        SkillList(),
        SkillTool(),
    )
