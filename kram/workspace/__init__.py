"""The project on disk: guarded paths, text as it is, edits, search, instructions, processes, artifacts."""

from .artifacts import KEPT_DAYS, ArtifactInfo, Artifacts, ArtifactSlice, NoArtifact, slice_of
from .background import OutputSlice, ProcessInfo, ProcessState
from .diff import counts, unified
from .edits import Edit, Edited, EditRefused, apply_edits
from .filter_profiles import TROUBLE_PATTERN
from .filters import Filtered, filter_output
from .instructions import InstructionFile, Instructions
from .ledger import ReadLedger, ReadState
from .processes import Processes, ProcessProblem, Waited
from .project_facts import ProjectFacts, project_facts
from .search import Found, Query, SearchFailed, find_files, grep
from .search_lines import BadPattern, FoundLine, search_bytes
from .skills import BadSkill, Skill, Skills, find_skills, skill_body, skill_folders
from .spill import Capture, text_of
from .textfile import NotText, TextFile
from .workspace import FileProblem, Workspace

__all__ = [
    "KEPT_DAYS",
    "TROUBLE_PATTERN",
    "ArtifactInfo",
    "ArtifactSlice",
    "Artifacts",
    "BadPattern",
    "BadSkill",
    "Capture",
    "Edit",
    "EditRefused",
    "Edited",
    "FileProblem",
    "Filtered",
    "Found",
    "FoundLine",
    "InstructionFile",
    "Instructions",
    "NoArtifact",
    "NotText",
    "OutputSlice",
    "ProcessInfo",
    "ProcessProblem",
    "ProcessState",
    "Processes",
    "ProjectFacts",
    "Query",
    "ReadLedger",
    "ReadState",
    "SearchFailed",
    "Skill",
    "Skills",
    "TextFile",
    "Waited",
    "Workspace",
    "apply_edits",
    "counts",
    "filter_output",
    "find_files",
    "find_skills",
    "grep",
    "project_facts",
    "search_bytes",
    "skill_body",
    "skill_folders",
    "slice_of",
    "text_of",
    "unified",
]
