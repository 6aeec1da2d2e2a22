"""Whether this project is trusted: what it would bring, the person's answer, and what waits for it meanwhile."""

from __future__ import annotations

import asyncio

from kram.config import TrustReview, review

from .building import reload
from .held import Held

_NAMED = 4


class TrustPart(Held):
    @property
    def trusted(self) -> bool:
        """Whether what the project brings takes part in this session."""
        return self._house.trusted

    async def trust_review(self) -> TrustReview:
        """What the project would bring, read from disk now. Executes and obeys nothing."""
        instructions = self._bench.prompt.instructions
        return await asyncio.to_thread(
            lambda: review(self._house.trust, self._house.workspace.root, instructions.project_files())
        )

    async def answer_trust(self, shown: TrustReview, *, trusted: bool) -> None:
        """Keeps the answer to exactly what was shown; it counts from the next model call on, also in this session.

        Raises `UsageError` where the project changed since, or what it brings cannot be used; then it is not trusted.
        """
        house = self._house
        house.trust.answer(house.workspace.root, shown.state, trusted=trusted)
        house.trusted = trusted
        try:
            await reload(house)
        except BaseException:
            house.trusted = False
            house.trust.forget(house.workspace.root)
            raise

    async def forget_trust(self) -> None:
        """Not trusted any more, and the next start asks again."""
        self._house.trust.forget(self._house.workspace.root)
        self._house.trusted = False
        await reload(self._house)

    async def trust_note(self) -> str:
        """What of the project is not used; "" where it is trusted or brings nothing."""
        if self.trusted:
            return ""
        found = await self.trust_review()
        names = [item.name for item in found.items if item.change != "-"]
        if not names:
            return ""
        rest = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        return f"Not used until you trust this project: {', '.join(names[:_NAMED])}{rest}"
