"""What is asked before anything is sent: whether this project is trusted."""

from __future__ import annotations

from textual import events

from kram.base import KramError
from kram.config import TrustReview
from kram.events import Notice
from kram.tui.dialogs.trust import TrustDialog
from kram.tui.notify import ask_for_attention

from .readings import Readings


class Onboarding(Readings):
    async def first_questions(self) -> None:
        """Asked once the runtime is open and before the first message goes out. A failure is told and asks nothing more."""
        try:
            found = await self.runtime.trust_review()
            if found.open and not self.runtime.trusted:
                await self._ask_trust(found)
        except KramError as failure:
            self.runtime.emit(Notice(text=str(failure), level="warning"))

    async def review_trust(self) -> str:
        """`/trust`: what the project brings, and the answer; says what holds now."""
        found = await self.runtime.trust_review()
        if not found.items:
            return "This project brings nothing that would need trust."
        await self._ask_trust(found)
        if self.runtime.trusted:
            return "This project is trusted: what it brings takes part from the next message on."
        return "This project is not trusted: nothing it brings is used."

    async def _ask_trust(self, found: TrustReview) -> None:
        runtime = self.runtime
        ask_for_attention(self.app, "kram asks whether you trust this project")
        dialog = TrustDialog(str(runtime.workspace.root), found, trusted=runtime.trusted, spill=self._take_early_key)
        answer = await self.app.push_screen_wait(dialog)
        if answer is not None:
            await runtime.answer_trust(found, trusted=answer)

    def _take_early_key(self, event: events.Key) -> None:
        """A key that was meant for the prompt."""
        self.prompt.post_message(events.Key(event.key, event.character))

    async def startup_notes(self) -> list[str]:
        """What the person should know, at the start."""
        notes = self.runtime.notes()
        if untrusted := await self.runtime.trust_note():
            notes.append(f"{untrusted} · /trust")
        return notes
