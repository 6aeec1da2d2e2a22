"""Who could answer: what is configured, what was found, and what the accounts themselves offer right now."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from kram.base import UsageError
from kram.config import Model, Provider, server_kind, window_advice
from kram.events import Notice, TurnResult
from kram.providers import Listing, Trial, nearby, try_model

from .choices import Account, ModelChoice, accounts, model_choices
from .held import Held
from .wiring import House

ROOMY = 32_768
"""A window of that many tokens is worth no word, whatever the model was made for."""


class ModelsPart(Held):
    def __init__(self, house: House) -> None:
        super().__init__(house)
        self._looked_again: set[str] = set()

    def models(self) -> list[ModelChoice]:
        """Combos and models, live ones of the last lists included. Waits for nobody."""
        return model_choices(self._house.live, self._house.roster, self._house.combo)

    def accounts(self) -> list[Account]:
        return accounts(self._house.live, self._house.roster)

    async def refresh_models(self, *, force: bool = False) -> list[Listing]:
        """Asks the accounts whose list is older than an hour (`force`: all) what they offer. Never fails; takes 6 s at most.

        From then on `models` shows it, and requests are cut to the windows that local servers really give.
        """
        found = await self._house.live.refresh(force=force)
        self._house.use_roster(self._house.live.roster())
        return found

    def _look_again(self, result: TurnResult) -> None:
        """After the first answer of a well-known local server: only now some tell the window that a model was loaded with.
        Others are asked when the person looks at the models."""
        house = self._house
        for name in {route.winner for route in result.route if route.winner} - self._looked_again:
            self._looked_again.add(name)
            provider = house.roster.providers.get(name.partition("/")[0])
            if provider and nearby(provider) and server_kind(provider.name, provider.base_url):
                house.background.spawn(self._reread(name, provider), "reading the real window")

    async def _reread(self, name: str, provider: Provider) -> None:
        house = self._house
        await house.live.refresh(only=provider.name)
        house.use_roster(house.live.roster())
        model = house.roster.model(name)
        if model is None or not model.context_window or model.context_window >= min(model.trained_window, ROOMY):
            return
        self.emit(
            Notice(
                level="warning",
                text=f"{name} has a window of {model.context_window:,} tokens here, and was made for "
                f"{model.trained_window:,}. {window_advice(provider.name, provider.base_url)}",
            )
        )

    async def try_models(self, name: str, tell: Callable[[Trial], None]) -> list[Trial]:
        """One tiny real request to every candidate of a combo (`provider/model` for one; "" for the present combo), each told
        as it ends. Accounts are asked side by side, the models of one after each other. Raises `UsageError` for an unknown
        name."""
        house = self._house
        combo = house.find(name) if name else house.combo
        by_account: dict[str, list[Model]] = {}
        for candidate in combo.candidates:
            if (model := house.roster.model(candidate)) is not None:
                by_account.setdefault(model.provider, []).append(model)
        if not by_account:
            raise UsageError(f"'{combo.name}' has no candidates", todo="`kram models` says what is missing")
        done: list[Trial] = []

        async def one_account(account: Provider, models: list[Model]) -> None:
            for model in models:
                done.append(await try_model(account, model, house.clock))
                tell(done[-1])

        async with asyncio.TaskGroup() as group:
            for provider, models in by_account.items():
                group.create_task(one_account(house.roster.providers[provider], models))
        return sorted(done, key=lambda trial: combo.candidates.index(trial.candidate))

    @property
    def missing(self) -> tuple[str, ...]:
        """What was looked for and not found, one sentence each with what helps."""
        return self._house.roster.missing
