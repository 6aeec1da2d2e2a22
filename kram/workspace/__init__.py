"""The project on disk: guarded paths, text as it is, edits, search, instructions, memory, processes, artifacts."""

from .diff import counts, unified
from .edits import Edit, Edited, EditRefused, apply_edits
from .instructions import InstructionFile, Instructions
from .ledger import ReadLedger, ReadState
from .memory import Memory
from .search import Found, Query, SearchFailed, find_files, grep
from .textfile import NotText, TextFile
from .workspace import FileProblem, Workspace

__all__ = [
    "Edit",
    "EditRefused",
    "Edited",
    "FileProblem",
    "Found",
    "InstructionFile",
    "Instructions",
    "Memory",
    "NotText",
    "Query",
    "ReadLedger",
    "ReadState",
    "SearchFailed",
    "TextFile",
    "Workspace",
    "apply_edits",
    "counts",
    "find_files",
    "grep",
    "unified",
]
