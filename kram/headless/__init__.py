"""The front end without a screen: `kram -p` as text, JSON or a stream of JSON lines."""

from .feed import run_feed
from .lines import event_line, failure_object, result_object
from .printer import Format, Printer
from .run import run_print
from .schema import check_schema
from .user import NobodyUser

__all__ = [
    "Format",
    "NobodyUser",
    "Printer",
    "check_schema",
    "event_line",
    "failure_object",
    "result_object",
    "run_feed",
    "run_print",
]
