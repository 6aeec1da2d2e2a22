"""Sessions on disk: one SQLite store, restored after any crash."""

from .errors import NoSession, SessionBusy, StoreError
from .records import DecisionRecord, SessionInfo
from .restore import restore
from .store import Store

__all__ = ["DecisionRecord", "NoSession", "SessionBusy", "SessionInfo", "Store", "StoreError", "restore"]
