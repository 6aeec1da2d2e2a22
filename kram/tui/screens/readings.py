"""What the session screen opens to be read: help, the next request, whole outputs, links."""

from __future__ import annotations

from textual.content import Content

from kram.base import KramError, UsageError
from kram.runtime import artifact_note
from kram.tui.commands import all_commands
from kram.tui.dialogs.compaction import CompactionDialog
from kram.tui.dialogs.picker import Picker, Row
from kram.tui.dialogs.reading import ReadingDialog
from kram.tui.dialogs.text import TextDialog
from kram.tui.dialogs.workbench import Workbench
from kram.tui.keymap import rows
from kram.tui.panels.artifact import artifact_blocks
from kram.tui.panels.inspector import inspector_blocks
from kram.tui.widgets.conversation import Conversation

from .memory import MemoryScreen


class Readings(MemoryScreen):
    """`opened` says whether there is a runtime yet."""

    @property
    def opened(self) -> bool:
        raise NotImplementedError

    def show_help(self) -> None:
        lines = [Content.styled("Keys", "bold")]
        lines += [Content.assemble((f"  {keys:<34}", "$accent"), text) for keys, text in rows()]
        if self.opened:
            lines += [Content(""), Content.styled("Commands", "bold")]
            for name, usage, summary in all_commands(self.runtime):
                lines.append(Content.assemble((f"  {f'/{name} {usage}'.rstrip():<34}", "$accent"), summary))
        self.app.push_screen(TextDialog("kram", Content("\n").join(lines)))

    def show_workbench(self) -> None:
        """Everything that is in the window."""
        self.app.push_screen(Workbench(self.runtime))

    async def review_compaction(self, focus: str) -> str:
        """A compaction, once the person has seen and accepted its draft; says what came of it."""
        if self.runtime.busy:
            raise UsageError("A turn is running", todo="Stop it first")
        draft = await self.app.push_screen_wait(CompactionDialog(self.runtime, focus))
        if draft is None:
            return "Nothing was changed."
        await self.runtime.apply_compaction(draft)
        now = self.runtime.context_report().used
        return f"Summarised; about {now:,} tokens are in view now. /uncompact takes it back."

    def show_prompt(self) -> None:
        """The next request, part by part."""
        self.app.push_screen(ReadingDialog("The prompt", inspector_blocks(self.runtime.inspect())))

    async def show_artifacts(self) -> None:
        """The outputs of this session that were kept; Enter opens one."""
        kept = [Row(key=one.id, text=one.id, note=artifact_note(one)) for one in self.runtime.artifact_list()]
        if not kept:
            self.notice("No output of this session was too long to show.")
        elif chosen := await self._pick(Picker("Kept outputs", kept)):
            self._open_artifact(chosen)

    def on_conversation_artifact_opened(self, event: Conversation.ArtifactOpened) -> None:
        self._open_artifact(event.artifact_id)

    def _open_artifact(self, artifact_id: str) -> None:
        try:
            blocks = artifact_blocks(self.runtime, artifact_id)
        except KramError as failure:
            self.notice(str(failure), "warning")
            return
        self.app.push_screen(ReadingDialog("The whole output", blocks))

    def on_conversation_link_clicked(self, event: Conversation.LinkClicked) -> None:
        """Opened only because it was clicked, and only where a browser would."""
        if event.url.startswith(("https://", "http://")):
            self.app.open_url(event.url)

    def on_conversation_copied(self, event: Conversation.Copied) -> None:
        self.status.hint(f"Copied {len(event.text)} characters")
