"""The turn: rounds of model calls and tool calls, guarded, steerable, interruptible."""

from .bench import Bench
from .compaction import compact
from .inbox import Inbox
from .inspect import Inspection, inspect_request
from .limits import Limits, Tally
from .prompting import PromptSources
from .record import Record
from .single import run_single
from .step import lead_model, measure
from .turn import Turn
from .user import AnnouncedUser

__all__ = [
    "AnnouncedUser",
    "Bench",
    "Inbox",
    "Inspection",
    "Limits",
    "PromptSources",
    "Record",
    "Tally",
    "Turn",
    "compact",
    "inspect_request",
    "lead_model",
    "measure",
    "run_single",
]
