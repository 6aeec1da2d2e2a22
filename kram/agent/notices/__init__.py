"""What the model should hear of without having asked: notices that replace each other, are checked before they are shown, and
pointers to what was said or kept earlier."""

from .clearing import Clear, clear_of
from .finder import Finder, Found, hits_of
from .pending import Pending, PendingNotice
from .prepare import Preparer, prepare_all
from .revalidate import Revalidate, resolved, revalidator

__all__ = [
    "Clear",
    "Finder",
    "Found",
    "Pending",
    "PendingNotice",
    "Preparer",
    "Revalidate",
    "clear_of",
    "hits_of",
    "prepare_all",
    "resolved",
    "revalidator",
]
