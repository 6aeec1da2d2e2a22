"""The runtime's sessions: the open one's record, and opening, copying, naming, leaving them."""

from __future__ import annotations

from kram.agent import Record
from kram.base import UsageError
from kram.events import SessionChanged
from kram.messages import Entry, Kind, Route, Usage
from kram.sessions import DecisionRecord, SessionInfo, restore
from kram.workspace import Workspace

from .held import Held


class SessionPart(Held):
    @property
    def used(self) -> bool:
        """Whether anything was said in this session."""
        return bool(self._bench.record.entries)

    @property
    def session(self) -> SessionInfo:
        return self._house.session

    @property
    def workspace(self) -> Workspace:
        return self._house.workspace

    def entries(self) -> list[Entry]:
        """The whole session in order, folded parts included: what a transcript shows."""
        return self._house.store.entries(self.session.id)

    def decisions(self, call_id: str = "") -> list[DecisionRecord]:
        """What was decided about a call, or about all calls of the session."""
        return self._house.store.decisions(self.session.id, call_id)

    def routes(self) -> list[Route]:
        """The traces of the session's latest model calls, compactions included, oldest first."""
        return self._house.store.routes(self.session.id)

    def words(self, entry_id: str) -> str:
        """What the person said in one entry of the session, "" where there is none of that id."""
        return next((one.content for one in self.entries() if one.id == entry_id), "") if entry_id else ""

    def sessions(self) -> list[SessionInfo]:
        """The sessions of this workspace, newest first."""
        return self._house.store.sessions(self.workspace.root)

    def open_session(self, session_id: str) -> None:
        """Leaves this session for another one. Raises `UsageError` while a turn runs, `StoreError` if it is not there."""
        self._leave()
        self._house.open_session(session_id)
        self._enter_session()

    def new_session(self, title: str = "") -> None:
        self._leave()
        self._house.new_session(title)
        self._enter_session()

    def fork(self) -> None:
        """Goes on in a copy of this session; of an empty one there is nothing to copy."""
        if not self.used:
            raise UsageError("There is nothing in this session to copy yet")
        left = self.session.id
        self._leave()
        self._house.fork_session(left)
        self._enter_session()

    def rename(self, title: str) -> None:
        self._house.rename(title)
        self.emit(SessionChanged(session_id=self.session.id, title=title))

    def rename_session(self, session_id: str, title: str) -> None:
        """Renames any session."""
        if session_id == self.session.id:
            self.rename(title)
        else:
            self._house.store.rename(session_id, title)

    def delete_session(self, session_id: str) -> None:
        """Deletes another session. Raises `UsageError` for the open one."""
        if session_id == self.session.id:
            raise UsageError("This session is open", todo="Start a new one first")
        self._house.store.delete(session_id)

    def _leave(self) -> None:
        self._must_be_idle()
        self._house.leave_session()

    def _enter_session(self) -> None:
        """Repairs what a crash left, then takes the session's record."""
        house = self._house
        entries = restore(house.store, house.session.id)
        whole = house.store.entries(house.session.id)
        call_ids = {entry.tool_call_id for entry in whole if entry.kind == Kind.TOOL_CALL}
        house.bench_for(Record(house.store, house.session.id, entries, house.bus.emit, call_ids=call_ids))
        self._session_usage = sum((entry.usage for entry in whole if entry.usage), start=Usage())
        self._said_small = bool(entries)
        self.emit(SessionChanged(session_id=self.session.id, title=self.session.title))
