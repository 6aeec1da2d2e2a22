"""What a compaction must keep word for word, and the check that it did. Runs on every compaction before it is stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from kram.base import Data
from kram.messages import Entry, Kind

from .policy import ViewPolicy
from .stages import Folding
from .tail import protected, tail_start
from .words import kept_words, said_in, words_in

Sort: TypeAlias = Literal["entry", "words", "todos", "instructions"]


class Fact(Data):
    """Something that has to be there. `id` of an entry that stays as it is, or text that has to be found."""

    sort: Sort
    text: str
    id: str = ""


def facts(entries: Sequence[Entry], policy: ViewPolicy, folding: Folding, *, todos: str = "") -> tuple[Fact, ...]:
    """Of a session before it is folded: the recent part, what nothing may touch, the person's words within their bound,
    and the todo list."""
    spared = protected(entries, policy)
    start = tail_start(entries, policy)
    found = [
        Fact(sort="entry", id=one.id, text=one.content)
        for at, one in enumerate(entries)
        if (at >= start or one.id in spared) and one.kind != Kind.COMPACTION
    ]
    earlier = [word for one in folding.earlier for word in words_in(one.details.get("words"))]
    words = kept_words([*earlier, *said_in(folding.folded)], policy)
    found += [Fact(sort="words", id=word.id, text=word.text) for word in words]
    if todos:
        found.append(Fact(sort="todos", text=todos))
    return tuple(found)


def lost(wanted: Sequence[Fact], entries: Sequence[Entry], *, prompt: str = "") -> tuple[Fact, ...]:
    """Facts that are not there any more. `prompt` is the system text, where instructions have to stand."""
    by_id = {one.id: one for one in entries}
    summaries = "\n".join(one.content for one in entries if one.kind == Kind.COMPACTION)

    def there(fact: Fact) -> bool:
        match fact.sort:
            case "entry":
                return fact.id in by_id and by_id[fact.id].content == fact.text
            case "instructions":
                return fact.text in prompt
            case _:
                return fact.text in summaries

    return tuple(fact for fact in wanted if not there(fact))
