"""Notices are checked before they are shown: a problem that is gone is not announced."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias

from .pending import Pending
from .prepare import Preparer

Revalidate: TypeAlias = Callable[[str], Awaitable[str]]
"""Gets a notice's key and says what there is to say of it now."""

_NOTHING = frozenset({"", "null", "{}", "[]", '""'})

log = logging.getLogger(__name__)


def resolved(answer: str) -> bool:
    """Whether there is nothing left to say. `0` and every text are something."""
    return answer.strip() in _NOTHING


def revalidator(pending: Pending, checks: Mapping[str, Revalidate]) -> Preparer:
    """Asks the check of each group about its notices and takes back the resolved ones. A notice nobody can check, or whose
    check fails, stays."""

    async def prepare(session_id: str) -> None:
        for notice in pending.waiting():
            check = checks.get(notice.group)
            if check is None or not notice.key:
                continue
            try:
                answer = await check(notice.key)
            except Exception:
                log.warning("a notice about %s could not be checked", notice.key, exc_info=True)
                continue
            if resolved(answer):
                pending.clear(notice.group, notice.key)

    return prepare
