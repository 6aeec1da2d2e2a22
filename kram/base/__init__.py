"""The ground floor: errors, ids, clock, data, text, paths, files, processes, tasks, log."""

from .clock import Clock, SystemClock, iso_utc
from .data import Data, Json, JsonView
from .errors import Interrupted, KramError, UsageError
from .ids import artifact_id, new_id, session_id
from .targets import Intent, Target

__all__ = [
    "Clock",
    "Data",
    "Intent",
    "Interrupted",
    "Json",
    "JsonView",
    "KramError",
    "SystemClock",
    "Target",
    "UsageError",
    "artifact_id",
    "iso_utc",
    "new_id",
    "session_id",
]
