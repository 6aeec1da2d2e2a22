"""A compaction before it is done: what would stay word for word, what the summary stands for, what would be in neither."""

from __future__ import annotations

from collections.abc import Sequence

from kram.base import Data
from kram.messages import Entry, Kind, Usage

from .labels import label, subjects
from .policy import ViewPolicy
from .skills import active_skills, skill_name
from .stages import Folding
from .tail import last_words, open_question, protected
from .view import measure
from .words import kept_words, said_in, words_in


class DraftItem(Data):
    """One entry of the session. `why` says in a few words why it stands where it does."""

    id: str
    kind: str
    label: str
    tokens: int
    why: str = ""


class CompactionDraft(Data):
    """What a person reviews: `summary` may be edited before it is applied. Tokens are those of the history as it is
    sent now, and as it would be sent.

    `kept` goes on word for word, `summarised` only as the summary, `dropped` in no form (the person had dropped it, or
    there was nothing in it). `folded` and `earlier` are the ids the summary stands for: entries, and earlier markers.
    `last_entry` is the session's newest entry at that time: a draft is for that state only.
    """

    id: str
    trigger: str
    focus: str
    kept: tuple[DraftItem, ...]
    summarised: tuple[DraftItem, ...]
    dropped: tuple[DraftItem, ...]
    summary: str
    tokens_before: int
    tokens_after: int
    usage: Usage = Usage()
    model: str = ""
    todos: str = ""
    folded: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()
    last_entry: str = ""


def sorted_items(
    entries: Sequence[Entry], policy: ViewPolicy, folding: Folding
) -> tuple[tuple[DraftItem, ...], tuple[DraftItem, ...], tuple[DraftItem, ...]]:
    """Kept, summarised, dropped."""
    about = subjects(entries)
    gone = {one.id for one in folding.subsumed}
    reasons = _reasons(entries, policy)
    earlier = [word for one in folding.earlier for word in words_in(one.details.get("words"))]
    quoted = {word.id: word.cut for word in kept_words([*earlier, *said_in(folding.folded)], policy)}
    kept: list[DraftItem] = []
    summarised: list[DraftItem] = []
    dropped: list[DraftItem] = []

    def item(one: Entry, why: str) -> DraftItem:
        tokens = measure([one], policy)
        return DraftItem(id=one.id, kind=str(one.kind), label=label(one, about), tokens=tokens, why=why)

    for one in entries:
        if one.id in policy.marks.dropped and one.id in gone:
            dropped.append(item(one, "you dropped it"))
        elif one.id in quoted:
            part = "your words, quoted" if not quoted[one.id] else "the beginning of your words, quoted"
            (kept if not quoted[one.id] else summarised).append(item(one, part))
        elif one.id not in gone:
            kept.append(item(one, reasons.get(one.id, "recent")))
        elif one.kind == Kind.COMPACTION:
            summarised.append(item(one, "an earlier summary, carried on"))
        elif not one.content.strip():
            dropped.append(item(one, "there is no text in it"))
        else:
            summarised.append(item(one, ""))
    return tuple(kept), tuple(summarised), tuple(dropped)


def transcript_entries(folding: Folding, policy: ViewPolicy) -> list[Entry]:
    """What the summariser gets to read: what is folded, without what the person dropped and what holds no text."""
    out = frozenset(policy.marks.dropped)
    return [one for one in folding.folded if one.id not in out and one.content.strip()]


def _reasons(entries: Sequence[Entry], policy: ViewPolicy) -> dict[str, str]:
    spared = protected(entries, policy)
    reasons = dict.fromkeys(spared, "pinned")
    reasons |= {one.id: f"skill {skill_name(one.content)}" for one in active_skills(entries, policy.meter)}
    reasons |= {one.id: "an open question" for one in open_question(entries)}
    reasons |= {one.id: "your last words" for one in last_words(entries)}
    return reasons
