"""The runtime's sessions as files: exported where the person says, imported as new sessions."""

from __future__ import annotations

from pathlib import Path

from kram.base import UsageError, atomic_write
from kram.sessions.export import FORMATS, exported_text, file_name, format_of

from .session_part import SessionPart
from .transfer import Taken, gather, take_file


class TransferPart(SessionPart):
    def export(self, form: str = "md", path: str = "") -> Path:
        """Writes the open session, by default into the workspace under a name made of its title; never over a file that is
        there already. Raises `UsageError`."""
        form = format_of(form)
        if not self.used:
            raise UsageError("Nothing was said in this session yet")
        exported = gather(self._house.store, self.session.id)
        target = self.workspace.root / (Path(path).expanduser() if path else file_name(exported, FORMATS[form][0]))
        if target.exists():
            raise UsageError("There is a file of that name already", where=str(target), todo=f"/export {form} NAME")
        try:
            atomic_write(target, exported_text(exported, form).encode(), mode=0o600)
        except OSError as failure:
            raise UsageError(f"Not written: {failure.strerror or failure}", where=str(target)) from failure
        return target

    def import_session(self, path: str) -> Taken:
        """Stores a file's session as a new one and opens it. Raises `UsageError`; then nothing has changed."""
        self._must_be_idle()
        taken = take_file(self._house.store, self.workspace.root, self.workspace.root / Path(path).expanduser())
        self.open_session(taken.session_id)
        return taken
