"""The gate's decisions and the gateway's routes: why something ran, and who answered."""

from __future__ import annotations

import hashlib
from typing import Any, TypeVar

import msgspec

from kram.base import crash_point
from kram.messages import Route, from_json, to_json

from .clean import clean_json, clean_text
from .records import DecisionRecord
from .rows import Rows

T = TypeVar("T")


class Decisions(Rows):
    """All methods raise `StoreError`; those that write also `NoSession` and `SessionBusy`."""

    def decide(self, session: str, decision: DecisionRecord) -> DecisionRecord:
        """Stores a decision; the effect may start when this has returned."""
        digest = hashlib.sha256(decision.arguments.encode("utf-8", "surrogatepass")).hexdigest()
        crash_point("decide:before")
        with self._writing(session) as db:
            record = msgspec.structs.replace(
                decision,
                arguments=clean_text(decision.arguments, self._redactor),
                reason=clean_text(decision.reason, self._redactor),
                hash=digest,
                at=self._next_at(session),
            )
            db.execute(
                "INSERT INTO decisions (session_id, call_id, at, body) VALUES (?, ?, ?, ?)",
                (session, record.call_id, record.at, to_json(record)),
            )
            crash_point("decide:inside")
        crash_point("decide:after")
        return record

    def decisions(self, session: str, call_id: str = "") -> list[DecisionRecord]:
        """All of a session, or of one call, in order. One that cannot be read is left out."""
        where, values = ("AND call_id = ?", (session, call_id)) if call_id else ("", (session,))
        rows: list[Any] = self._read(f"SELECT body FROM decisions WHERE session_id = ? {where} ORDER BY seq", values)
        return [record for (body,) in rows if (record := _readable(body, DecisionRecord)) is not None]

    def save_route(self, session: str, route: Route) -> None:
        """Keeps the record of one model call."""
        body = clean_json(route, self._redactor)
        with self._writing(session) as db:
            db.execute(
                "INSERT INTO routes (session_id, at, body) VALUES (?, ?, ?)", (session, self._clock.now_ns(), body)
            )

    def routes(self, session: str, limit: int = 200) -> list[Route]:
        """The last `limit` routes, oldest first."""
        rows: list[Any] = self._read(
            "SELECT body FROM routes WHERE session_id = ? ORDER BY seq DESC LIMIT ?", (session, limit)
        )
        return [route for (body,) in reversed(rows) if (route := _readable(body, Route)) is not None]


def _readable(body: bytes, kind: type[T]) -> T | None:
    try:
        return from_json(body, kind)
    except msgspec.MsgspecError:
        return None
