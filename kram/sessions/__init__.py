"""Sessions on disk: one SQLite store, restored after any crash."""

from .entries import Partial
from .errors import DamagedStore, NoSession, SessionBusy, StoreError
from .health import StoreHealth, look_at_store
from .records import DecisionRecord, SessionInfo
from .restore import restore
from .search import SUBAGENT_TITLE
from .store import Store

__all__ = [
    "SUBAGENT_TITLE",
    "DamagedStore",
    "DecisionRecord",
    "NoSession",
    "Partial",
    "SessionBusy",
    "SessionInfo",
    "Store",
    "StoreError",
    "StoreHealth",
    "look_at_store",
    "restore",
]
