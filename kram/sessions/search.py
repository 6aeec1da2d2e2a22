"""What people and models said, found again: never the text of tools, of the system, or of compactions.

Best matches first (BM25); where scores are close the newest comes first. Each match has what was said around it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kram.base import cut
from kram.messages import Entry, Kind, Said, SessionHit

from .connection import told, transaction
from .entries import Entries
from .words import Words, excerpt, words

SUBAGENT_TITLE = "subagent: "
"""Sessions of subagents are titled so; they are left out unless they are asked for."""

AROUND = 3
MAX_CHARS = 400
NEAR_TIE = 0.2
_CANDIDATES = 400
_LISTED = 2_000
_BATCH = 500
_SHOWN_KINDS = (Kind.USER, Kind.ASSISTANT, Kind.COMPACTION)


class _Found(NamedTuple):
    seq: int
    score: float
    at_ns: int
    session: str
    title: str
    workspace: str


class Search(Entries):
    """All methods raise `StoreError`."""

    def search(
        self,
        query: str,
        *,
        workspace: Path | str | None = None,
        limit: int = 8,
        subagents: bool = False,
        seen_in: str = "",
    ) -> list[SessionHit]:
        """Sessions' words, of one workspace or of all.

        `seen_in` is the session that asks: what is still in its model's view is left out. No query is an error; one without
        words finds nothing.
        """
        wanted = words(query)
        if not wanted:
            return []
        while self.index_more():
            pass
        hits: list[SessionHit] = []
        shown: set[str] = set()
        best = self._candidates(wanted, _CANDIDATES, workspace=workspace, subagents=subagents, seen_in=seen_in)
        for found in near_ties_newest_first(best):
            hit = self._hit(found, wanted, AROUND)
            # A fork holds the same entries under the same ids, and neighbours are shown with their neighbour.
            if hit is not None and hit.said.entry_id not in shown:
                shown.update(one.entry_id for one in (*hit.before, hit.said, *hit.after))
                hits.append(hit)
            if len(hits) >= limit:
                break
        return hits

    def said_in(self, query: str, *, workspace: Path | str, limit: int = 50) -> list[SessionHit]:
        """Sessions in which it was said, one match each without its surroundings, the newest first; for a list that follows
        the keys: the last word may be unfinished, and nothing is ranked, since that takes long for two letters. What an older
        kram stored and is not indexed yet is left out.
        """
        wanted = words(query, unfinished=True)
        if not wanted:
            return []
        newest: dict[str, _Found] = {}
        for found in self._candidates(wanted, _LISTED, workspace=workspace, newest_first=True):
            newest.setdefault(found.session, found)
        hits = (self._hit(found, wanted, 0) for found in list(newest.values())[:limit])
        return [hit for hit in hits if hit is not None]

    def index_more(self, rows: int = _BATCH) -> bool:
        """Indexes some of what an older kram stored, the newest first; False when nothing is left."""
        backlog: list[Any] = self._read("SELECT upto FROM said_backlog")
        if not backlog or not backlog[0][0]:
            return False
        with told(self._path), transaction(self._db) as db:
            (upto,) = db.execute("SELECT upto FROM said_backlog").fetchone()
            found = db.execute(
                "SELECT seq FROM entries WHERE seq <= ? AND kind IN ('user', 'assistant') ORDER BY seq DESC LIMIT ?",
                (upto, rows),
            ).fetchall()
            low = found[-1][0] if found else 1
            db.execute(
                "INSERT INTO said (rowid, text) SELECT seq, text FROM ("
                "SELECT seq, CASE WHEN json_valid(body) THEN json_extract(body, '$.content') END AS text FROM ("
                "SELECT seq, CAST(body AS TEXT) AS body FROM entries "
                "WHERE seq BETWEEN ? AND ? AND kind IN ('user', 'assistant'))) WHERE text <> ''",
                (low, upto),
            )
            db.execute("UPDATE said_backlog SET upto = ?", (low - 1,))
        return bool(low > 1)

    def _candidates(
        self,
        wanted: Words,
        limit: int,
        *,
        workspace: Path | str | None,
        subagents: bool = False,
        seen_in: str = "",
        newest_first: bool = False,
    ) -> list[_Found]:
        conditions = ["NOT (entries.session_id = ? AND entries.subsumed_by = '')"]
        values: list[object] = [seen_in]
        if wanted.match:
            conditions.insert(0, "said MATCH ?")
            values.insert(0, wanted.match)
        conditions += ["instr(said.text, ?)"] * len(wanted.inside)
        values += wanted.inside
        if workspace is not None:
            conditions.append("sessions.workspace = ?")
            values.append(str(workspace))
        if not subagents:
            conditions.append("sessions.title NOT LIKE ?")
            values.append(f"{SUBAGENT_TITLE}%")
        # Without a word for the index all matches are as good as each other.
        ranked = wanted.match and not newest_first
        score, order = ("bm25(said)", "rank") if ranked else ("-1.0", "said.rowid DESC")
        rows: list[Any] = self._read(
            f"SELECT entries.seq, {score}, entries.created_at, sessions.id, sessions.title, sessions.workspace "
            "FROM said JOIN entries ON entries.seq = said.rowid JOIN sessions ON sessions.id = entries.session_id "
            f"WHERE {' AND '.join(conditions)} ORDER BY {order} LIMIT {limit}",
            tuple(values),
        )
        return [_Found(*row) for row in rows]

    def _hit(self, found: _Found, wanted: Words, around: int) -> SessionHit | None:
        entries = self._decoded(self._read("SELECT seq, body FROM entries WHERE seq = ?", (found.seq,)))
        if not entries:
            return None
        (match,) = entries
        said = _said(match, excerpt(match.content, wanted.all, MAX_CHARS))
        return SessionHit(
            session_id=found.session,
            title=found.title,
            workspace=found.workspace,
            said=said,
            before=tuple(reversed(self._around(found.session, match, around, later=False))),
            after=self._around(found.session, match, around, later=True),
            score=found.score,
        )

    def _around(self, session: str, match: Entry, count: int, *, later: bool) -> tuple[Said, ...]:
        """The nearest first."""
        if count <= 0:
            return ()
        side, order = (">", "ASC") if later else ("<", "DESC")
        rows = self._read(
            f"SELECT seq, body FROM entries WHERE session_id = ? AND (created_at, id) {side} (?, ?) "
            f"AND kind IN ('user', 'assistant', 'compaction') ORDER BY created_at {order}, id {order} LIMIT ?",
            # More than is wanted: messages that hold nothing but calls have no words.
            (session, match.created_at, match.id, count * 4),
        )
        spoken = (one for one in self._decoded(rows) if one.kind in _SHOWN_KINDS and one.content.strip())
        return tuple(_said(one, cut(one.content, MAX_CHARS)) for one, _ in zip(spoken, range(count), strict=False))


def near_ties_newest_first(found: Sequence[_Found]) -> Iterable[_Found]:
    """Matches in groups whose scores are within 20 % of the group's best; inside a group the newest first.

    `found` is ordered by score, the best (the most negative) first.
    """
    group: list[_Found] = []
    for one in found:
        if group and abs(one.score) < (1 - NEAR_TIE) * abs(group[0].score):
            yield from sorted(group, key=lambda each: -each.at_ns)
            group = []
        group.append(one)
    yield from sorted(group, key=lambda each: -each.at_ns)


def _said(one: Entry, text: str) -> Said:
    by: Any = "summary" if one.kind == Kind.COMPACTION else str(one.kind)
    return Said(entry_id=one.id, by=by, text=text, at_ns=one.created_at)
