"""The turn: rounds of model calls and tool calls, guarded, steerable, interruptible."""

from .bench import Bench
from .checkpointing import Checkpointer
from .compaction import CannotFold, apply_compaction, compact, draft_compaction, uncompact
from .fitting import ContextFull
from .framing import lead_model, measure, reread_price
from .hooks import Hooks
from .inbox import Inbox
from .inspect import Inspection, inspect_request
from .limits import Limits, Tally
from .prompting import PromptSources
from .record import CHECKPOINT, Record, read_state
from .reminding import Reminding
from .single import run_single
from .turn import Turn
from .user import AnnouncedUser

__all__ = [
    "CHECKPOINT",
    "AnnouncedUser",
    "Bench",
    "CannotFold",
    "Checkpointer",
    "ContextFull",
    "Hooks",
    "Inbox",
    "Inspection",
    "Limits",
    "PromptSources",
    "Record",
    "Reminding",
    "Tally",
    "Turn",
    "apply_compaction",
    "compact",
    "draft_compaction",
    "inspect_request",
    "lead_model",
    "measure",
    "read_state",
    "reread_price",
    "run_single",
    "uncompact",
]
