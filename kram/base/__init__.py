"""The ground floor: errors, ids, clock, data, text, paths, files, processes, tasks, log."""

from .clock import Clock, SystemClock, iso_utc
from .crashpoint import crash_point
from .data import Data, Json, JsonView
from .errors import Interrupted, KramError, UsageError
from .files import NotAFile, atomic_write, content_hash, read_bytes
from .ids import artifact_id, new_id, session_id
from .log import quiet_log, start_log
from .paths import AppPaths, app_paths
from .redact import Redactor
from .targets import Intent, Target, TargetKind, resolve
from .tasks import Background
from .text import cut, head_tail, one_line, strip_ansi, visible
from .tracing import NoTracer, Span, Tracer

__all__ = [
    "AppPaths",
    "Background",
    "Clock",
    "Data",
    "Intent",
    "Interrupted",
    "Json",
    "JsonView",
    "KramError",
    "NoTracer",
    "NotAFile",
    "Redactor",
    "Span",
    "SystemClock",
    "Target",
    "TargetKind",
    "Tracer",
    "UsageError",
    "app_paths",
    "artifact_id",
    "atomic_write",
    "content_hash",
    "crash_point",
    "cut",
    "head_tail",
    "iso_utc",
    "new_id",
    "one_line",
    "quiet_log",
    "read_bytes",
    "resolve",
    "session_id",
    "start_log",
    "strip_ansi",
    "visible",
]
