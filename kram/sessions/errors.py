"""Failures of the store.

KramError
└── StoreError          the store cannot be read or written; what was stored before is unharmed
    ├── NoSession       there is no session of that id                     (exit 2)
    ├── SessionBusy     another process writes this session
    └── DamagedStore    the file is damaged; the next opening sets it aside and saves what can be read
"""

from __future__ import annotations

from kram.base import KramError


class StoreError(KramError):
    """Says what stands in the way and what to do; nothing that was stored is lost."""


class NoSession(StoreError):
    exit_code = 2


class SessionBusy(StoreError):
    """One session has one writer."""


class DamagedStore(StoreError):
    """SQLite cannot make sense of the file any more."""
