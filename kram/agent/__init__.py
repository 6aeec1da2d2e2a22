"""The turn: rounds of model calls and tool calls, guarded, steerable, interruptible."""

from .bench import Bench
from .checkpointing import Checkpointer
from .compaction import CannotFold, apply_compaction, compact, draft_compaction, uncompact
from .fitting import ContextFull
from .framing import lead_model, measure, reread_price
from .inbox import Inbox
from .limits import Limits, Tally
from .prompting import PromptSources
from .record import Record
from .reminding import Reminding
from .single import run_single
from .step import next_request
from .turn import Turn
from .user import AnnouncedUser

__all__ = [
    "AnnouncedUser",
    "Bench",
    "CannotFold",
    "Checkpointer",
    "ContextFull",
    "Inbox",
    "Limits",
    "PromptSources",
    "Record",
    "Reminding",
    "Tally",
    "Turn",
    "apply_compaction",
    "compact",
    "draft_compaction",
    "lead_model",
    "measure",
    "next_request",
    "reread_price",
    "run_single",
    "uncompact",
]
