"""What every front end uses: one object that holds a session and runs its turns."""

from kram.context import CompactionDraft, DraftItem

from .artifact_commands import artifact_note
from .choices import Account, ModelChoice, ToolInfo
from .commands import MODES, Command, session_commands
from .init_command import init_message
from .options import Options
from .runtime import Runtime
from .serving import Serving
from .waiting_user import WaitingUser

__all__ = [
    "MODES",
    "Account",
    "Command",
    "CompactionDraft",
    "DraftItem",
    "ModelChoice",
    "Options",
    "Runtime",
    "Serving",
    "ToolInfo",
    "WaitingUser",
    "artifact_note",
    "init_message",
    "session_commands",
]
