"""What the tools of one session may look up and keep: other sessions' words, this session's entries, facts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kram.messages import Entry, Fact, SessionHit
from kram.sessions import Store
from kram.tools import facts_text

PROMPT_FACTS = 8
"""How many facts a prompt carries; pinned ones always."""


class StoreRecall:
    """A `Recall` over the store, for one workspace and one open session."""

    def __init__(self, store: Store, workspace: Path, session_id: str) -> None:
        self._store = store
        self._workspace = workspace
        self._session_id = session_id

    def search(self, query: str, *, limit: int, subagents: bool, everywhere: bool) -> list[SessionHit]:
        return self._store.search(
            query,
            workspace=None if everywhere else self._workspace,
            limit=limit,
            subagents=subagents,
            seen_in=self._session_id,
        )

    def entry(self, entry_id: str) -> Entry | None:
        return self._store.entry(self._session_id, entry_id)

    def facts(self) -> list[Fact]:
        return self._store.facts(self._workspace)

    def find_facts(self, query: str) -> list[Fact]:
        return self._store.find_facts(self._workspace, query)

    def add_fact(self, content: str, *, everywhere: bool, pinned: bool) -> Fact:
        return self._store.add_fact(self._workspace, content, everywhere=everywhere, pinned=pinned)

    def change_fact(self, fact_id: str, *, content: str | None, everywhere: bool | None, pinned: bool | None) -> Fact:
        return self._store.change_fact(self._workspace, fact_id, content=content, everywhere=everywhere, pinned=pinned)

    def remove_fact(self, fact_id: str) -> Fact:
        return self._store.remove_fact(self._workspace, fact_id)


def prompt_facts(facts: Sequence[Fact]) -> str:
    """The facts that go into the prompt, out of all in their order: pinned ones, then the latest while there is room."""
    pinned = sum(fact.pinned for fact in facts)
    chosen = facts[: max(PROMPT_FACTS, pinned)]
    left = len(facts) - len(chosen)
    more = f"\n({left} more: memory_search finds them)" if left else ""
    return facts_text(chosen) + more
