"""The doctor of a running session: the same checks as `kram doctor`, on what this session really uses."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from kram.base import UsageError, iso_utc
from kram.config import Profile, keep_profile
from kram.providers.probing import Outcome, Report, probe_endpoint

from .doctor import Finding
from .held import Held

Tell: TypeAlias = Callable[[Outcome], None]


class DoctorPart(Held):
    async def examine(self, *, on_screen: bool = False) -> list[Finding]:
        """Every check's findings in order. `on_screen`: an interface holds the terminal, whose mode says nothing then.

        Asks every account, so `models` knows afterwards who is down. Never fails; takes some seconds at most.
        """
        from .doctor.examine import examine
        from .doctor.scene import Scene

        house = self._house
        scene = Scene(
            paths=house.paths,
            workspace=house.workspace.root,
            env=house.env,
            clock=house.clock,
            loaded=house.loaded,
            live=house.live,
            on_screen=on_screen,
        )
        findings = await examine(scene)
        house.use_roster(house.live.roster())
        return findings

    async def probe(self, candidate: str, tell: Tell, *, keep: bool = True) -> Report:
        """Finds out by some twenty-five tiny real requests what an endpoint does, and keeps what was learnt as a profile, which
        counts from now on. Raises `UsageError` for an unknown `provider/model`."""
        house = self._house
        model = house.roster.model(candidate)
        if model is None:
            raise UsageError(
                f"There is no model '{candidate}'", todo="Name it as provider/model; `kram models` lists them"
            )
        account = house.roster.providers[model.provider]
        report = await probe_endpoint(account, model, house.clock, tell)
        if keep and not report.problem:
            profile = Profile(
                at=iso_utc(house.clock.now_ns()),
                kind=account.kind,
                base_url=account.base_url,
                facts=report.facts,
                found={one.name: f"{one.answer}: {one.text}" for one in report.outcomes},
            )
            keep_profile(house.paths.data, model.name, profile)
            house.use_roster(house.live.roster())
            await house.gateway.reopen(account.name)
        return report
