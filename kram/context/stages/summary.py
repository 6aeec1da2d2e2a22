"""A summary takes the place of the old part. The only stage whose result is stored: its marker, and what it stands for.

What nothing may touch stays as entries of its own; the person's earlier words and the todo list stand in the marker word
for word, beside the summary.
"""

from __future__ import annotations

from collections.abc import Sequence

from kram.base import Data
from kram.context.boundary import Boundary
from kram.context.policy import StageReport, ViewPolicy
from kram.context.skills import active_skills, skill_name
from kram.context.tail import protected, tail_start
from kram.context.view import measure, staged
from kram.context.words import Word, kept_words, said_in, words_in, words_text
from kram.messages import Entry, Kind, entry, to_plain

FRAME = "The earlier part of this session, summarised for reference. It is a record, not a request.\n\n"
WORDS_HEAD = "## What the person said, word for word"
TODO_HEAD = "## The todo list, as it stood"


class Folding(Data):
    """What a summary is to stand for: entries that are folded, and earlier markers, whose summaries it carries on."""

    folded: tuple[Entry, ...]
    earlier: tuple[Entry, ...] = ()

    @property
    def subsumed(self) -> tuple[Entry, ...]:
        return (*self.folded, *self.earlier)


def foldable(entries: Sequence[Entry], policy: ViewPolicy) -> Folding:
    """Everything before the recent part that may be touched."""
    spared = protected(entries, policy)
    old = entries[: tail_start(entries, policy)]
    return Folding(
        folded=tuple(one for one in old if one.id not in spared and one.kind != Kind.COMPACTION),
        earlier=tuple(one for one in entries if one.kind == Kind.COMPACTION),
    )


def fold(
    entries: Sequence[Entry], policy: ViewPolicy, folding: Folding, summary: str, *, trigger: str, todos: str = ""
) -> tuple[list[Entry], StageReport, Entry]:
    """The entries with the marker in place of what it stands for, and the marker. Its time is that of the newest folded
    entry, so that it sorts before what was kept behind it."""
    marker = make_marker(entries, policy, folding, summary, trigger=trigger, todos=todos)
    gone = {one.id for one in folding.subsumed}
    newest = max(range(len(entries)), key=lambda at: (entries[at].id in gone, at))
    kept: list[Entry] = []
    for at, one in enumerate(entries):
        if one.id not in gone:
            kept.append(one)
        if at == newest:
            kept.append(marker)
    shown, report = staged("summary", entries, kept, policy)
    return shown, report, marker


def make_marker(
    entries: Sequence[Entry], policy: ViewPolicy, folding: Folding, summary: str, *, trigger: str, todos: str = ""
) -> Entry:
    words = _words(folding, policy)
    sections = [FRAME + summary.strip()]
    if words:
        sections.append(f"{WORDS_HEAD}\n{words_text(words)}")
    if todos:
        sections.append(f"{TODO_HEAD}\n{todos}")
    before = measure(entries, policy)
    boundary = Boundary(
        trigger=trigger,
        pre_tokens=before,
        messages_summarized=len(folding.folded),
        active_skills=tuple(skill_name(one.content) for one in active_skills(entries, policy.meter)),
    )
    details = {
        "trigger": trigger,
        "tokens_before": before,
        "summary": summary.strip(),
        "words": to_plain(words),
        "compact_boundary": to_plain(boundary),
        "subsumed": [{"id": one.id, "origin": one.origin} for one in folding.folded],
    }
    newest = max(one.created_at for one in folding.subsumed)
    return entry(Kind.COMPACTION, "\n\n".join(sections), at_ns=newest, details=details)


def summary_of(marker: Entry) -> str:
    """What the summariser (or the person) wrote, without what code added."""
    found = marker.details.get("summary")
    return found if isinstance(found, str) else marker.content.removeprefix(FRAME)


def _words(folding: Folding, policy: ViewPolicy) -> tuple[Word, ...]:
    earlier = [word for one in folding.earlier for word in words_in(one.details.get("words"))]
    return kept_words([*earlier, *said_in(folding.folded)], policy)
