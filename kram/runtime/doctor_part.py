"""The doctor of a running session: the same checks as `kram doctor`, on what this session really uses."""

from __future__ import annotations

from .doctor import Finding
from .held import Held


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
