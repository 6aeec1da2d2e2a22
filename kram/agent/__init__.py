"""The turn: rounds of model calls and tool calls, guarded, steerable, interruptible."""

from .bench import Bench
from .compaction import compact
from .inbox import Inbox
from .limits import Limits, Tally
from .prompting import PromptSources
from .record import Record
from .single import run_single
from .step import lead_model, measure, next_request
from .turn import Turn
from .user import AnnouncedUser

__all__ = [
    "AnnouncedUser",
    "Bench",
    "Inbox",
    "Limits",
    "PromptSources",
    "Record",
    "Tally",
    "Turn",
    "compact",
    "lead_model",
    "measure",
    "next_request",
    "run_single",
]
