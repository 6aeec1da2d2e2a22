"""The gateway without a session, for `kram serve`: the same configuration, models and figures as everywhere else."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from kram.base import AppPaths, Background, Clock, SystemClock
from kram.base.spawn import kill_all
from kram.config import Combo, choose
from kram.gateway import Gateway
from kram.providers import open_provider
from kram.sessions import Store

from .answering import keep_measured, open_gateway
from .building import Ground, prepare
from .live import LiveModels
from .options import Options


class Serving:
    """Opened with `open`, closed with `close`. `default` is who answers for names that nobody has, None for nobody."""

    def __init__(self, ground: Ground, options: Options, clock: Clock) -> None:
        self.paths: AppPaths = ground.paths
        self._live = LiveModels(ground.roster, ground.loaded.settings, ground.paths, clock, open_provider)
        self._store = Store.open(ground.paths.data / "kram.db", clock, ground.redactor)
        self._redactor = ground.redactor
        self._background = Background()
        roster = self._live.roster()
        self.default: Combo | None = (
            choose(roster, options.model, options.strategy)
            if options.model
            else roster.combos.get(roster.default_combo)
        )
        self.gateway: Gateway = open_gateway(roster, self._store, clock)
        self.notes = tuple(filter(None, (*ground.loaded.notes, self._store.salvaged)))

    @classmethod
    async def open(
        cls, workspace: Path, options: Options, *, clock: Clock | None = None, env: Mapping[str, str] | None = None
    ) -> Serving:
        """Raises `UsageError` for wrong options or configuration, `StoreError` where the store cannot be opened."""
        return cls(
            await prepare(workspace, options, os.environ if env is None else env), options, clock or SystemClock()
        )

    @property
    def missing(self) -> tuple[str, ...]:
        """What was looked for and not found, one sentence each with what helps."""
        return self.gateway.roster.missing

    def keep_secret(self, text: str) -> None:
        """From now on this text is masked in the log and in what is stored."""
        self._redactor.add(text)

    def refresh_soon(self) -> None:
        """Asks the accounts in the background what they offer, so that windows and lists are true."""
        self._background.spawn(self._refresh(), "asking for live model lists")

    async def _refresh(self) -> None:
        await self._live.refresh()
        self.gateway.roster = self._live.roster()

    async def close(self) -> None:
        await self._background.close()
        await self.gateway.aclose()
        keep_measured(self.gateway, self._store)
        self._store.close()
        kill_all()
