"""What stands beside the turn: processes, usage, todos, the prompt's history and draft, files, the person's looks."""

from __future__ import annotations

from pathlib import Path

from kram.events import Todo
from kram.messages import Usage, from_json
from kram.workspace import ArtifactInfo, Processes

from .held import Held


class BesidePart(Held):
    @property
    def processes(self) -> Processes:
        return self._house.processes

    @property
    def usage(self) -> Usage:
        """Of the whole session, turns before this run included."""
        return self._session_usage

    def todos(self) -> tuple[Todo, ...]:
        return self._bench.todos.get()

    def history(self) -> list[str]:
        """Earlier prompts in this workspace, oldest first."""
        return self._house.store.prompts(self._house.workspace.root)

    def add_history(self, text: str) -> None:
        self._house.store.add_prompt(self._house.workspace.root, text)

    def draft(self) -> str:
        """What was typed and not sent in this workspace."""
        raw = self._house.store.get_state(str(self._house.workspace.root), "draft")
        return from_json(raw, str) if raw else ""

    def save_draft(self, text: str) -> None:
        self._house.store.put_state(str(self._house.workspace.root), "draft", text)

    def files(self, limit: int = 100_000) -> list[str]:
        """Paths for `@`, relative to the workspace, ignore files respected. Blocks; call it in a thread."""
        return self._house.workspace.list_files(limit)

    def artifact(self, artifact_id: str) -> ArtifactInfo:
        """What is known of a stored output. Raises `NoArtifact`."""
        return self._house.artifacts.info(artifact_id)

    def artifact_list(self, *, everywhere: bool = False) -> list[ArtifactInfo]:
        """The outputs that were kept, of this session or of all, the newest first."""
        return self._house.artifacts.listing("" if everywhere else self._house.session.id)

    def artifact_text(self, artifact_id: str, start: int, end: int) -> str:
        """The bytes from `start` to `end` of a stored output as text. Raises `NoArtifact`."""
        pieces: list[str] = []
        while start < end:
            piece = self._house.artifacts.read(artifact_id, start, end - start)
            if piece.next_offset <= start:
                break
            pieces.append(piece.text)
            start = piece.next_offset
        return "".join(pieces)

    @property
    def log_path(self) -> Path:
        """Where the log is."""
        return self._house.paths.state / "log" / "kram.log"

    @property
    def theme(self) -> str:
        """The colours the person configured."""
        return self._house.loaded.settings.theme

    @property
    def keymap(self) -> dict[str, str]:
        """The keys the person changed: binding id to keys."""
        return self._house.loaded.settings.ui.keymap

    def notes(self) -> list[str]:
        """What the person should know about configuration, policy and the store."""
        return self._house.notes()

    def warm(self) -> None:
        """Loads in the background what the first turn needs, once the screen stands."""
        self._house.warm()
