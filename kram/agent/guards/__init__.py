"""Guards judge what a round produced. One result type; the turn has a single switch on it."""

from .exchange import Exchanged, ExchangeGuard
from .finish import FinishGuard
from .repetition import CutGuard, Repeated, RepetitionGuard, trimmed
from .response import is_incomplete, is_tentative, looks_truncated
from .rounds import Round, RoundGuard
from .verdict import OK, GuardResult, NoticeModel, Ok, Reprompt, Stop

__all__ = [
    "OK",
    "CutGuard",
    "ExchangeGuard",
    "Exchanged",
    "FinishGuard",
    "GuardResult",
    "NoticeModel",
    "Ok",
    "Repeated",
    "RepetitionGuard",
    "Reprompt",
    "Round",
    "RoundGuard",
    "Stop",
    "is_incomplete",
    "is_tentative",
    "looks_truncated",
    "trimmed",
]
