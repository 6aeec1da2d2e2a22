"""Runs the families of checks side by side and brings their findings in a fixed order.

A new family is a function of the scene in a file of its own and a row in `FAMILIES`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from kram.base import KramError

from .account_checks import check_accounts
from .config_checks import check_configuration
from .embedded_checks import check_embedded
from .finding import Finding
from .program_checks import check_programs
from .scene import Scene
from .secret_checks import check_secrets
from .storage_checks import check_storage
from .terminal_checks import check_terminal

Family: TypeAlias = Callable[[Scene], Awaitable[list[Finding]]]

FAMILIES: dict[str, Family] = {
    "configuration": check_configuration,
    "credentials": check_secrets,
    "providers": check_accounts,
    "embedded model": check_embedded,
    "terminal": check_terminal,
    "programs": check_programs,
    "storage": check_storage,
}
LIMIT_S = 30.0

log = logging.getLogger(__name__)


async def examine(scene: Scene, families: dict[str, Family] | None = None) -> list[Finding]:
    """All findings. Never raises: a check that fails by itself is a finding, too."""
    chosen = FAMILIES if families is None else families
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_one(name, family, scene)) for name, family in chosen.items()]
    return [finding for task in tasks for finding in task.result()]


async def _one(name: str, family: Family, scene: Scene) -> list[Finding]:
    try:
        async with asyncio.timeout(LIMIT_S):
            return await family(scene)
    except TimeoutError:
        return [Finding(family=name, name="check", state="problem", text=f"took longer than {LIMIT_S:.0f} s")]
    except KramError as failure:
        text, todo = failure.what, failure.todo
        return [Finding(family=name, name=failure.where or "check", state="problem", text=text, todo=todo)]
    except Exception as failure:
        log.exception("a check failed: %s", name)
        text = f"this check failed itself: {type(failure).__name__}: {failure}"
        return [Finding(family=name, name="check", state="problem", text=text)]
