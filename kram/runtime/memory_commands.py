"""`/memory`: what is remembered, and changing it, as plain text for every front end."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol, TypeAlias

from kram.base import UsageError
from kram.tools import Recall, fact_line, facts_text, used_chars

USAGE = "[add|edit|pin|remove …]"
TODO = (
    "/memory, /memory add [global] FACT, /memory edit ID FACT, /memory pin|unpin|global|project|remove ID, "
    "/memory find WORDS"
)
MAX_CHARS = 2_400
_ID = re.compile(r"#?m\d+\Z")


class Remembering(Protocol):
    """The part of the runtime these commands use."""

    @property
    def recall(self) -> Recall: ...


Verb: TypeAlias = Callable[[Recall, str], str]


async def memory_command(session: Remembering, args: str) -> str:
    """Lists all facts without arguments; other words than a verb are a fact to keep."""
    verb, _, rest = args.partition(" ")
    if not args:
        return _listed(session.recall)
    act = VERBS.get(verb)
    return act(session.recall, rest.strip()) if act else _add(session.recall, args)


def _listed(recall: Recall) -> str:
    facts = recall.facts()
    if not facts:
        return f"Nothing is remembered yet. # FACT keeps one for this project; {TODO}."
    used = ", ".join(f"{scope} {used_chars(facts, scope)} of {MAX_CHARS}" for scope in ("project", "global"))
    return f"{facts_text(facts)}\nCharacters used: {used}."


def _add(recall: Recall, rest: str) -> str:
    scope, _, fact = rest.partition(" ")
    everywhere = scope == "global" and bool(fact.strip())
    kept = recall.add_fact(fact if everywhere else rest, everywhere=everywhere, pinned=False)
    return f"Remembered: {fact_line(kept)}\nIt is in the prompt from the next message on."


def _edit(recall: Recall, rest: str) -> str:
    fact_id, _, content = rest.partition(" ")
    if not content.strip():
        raise UsageError("An edit needs an id and the new words", todo=TODO)
    return f"Now: {fact_line(recall.change_fact(_id(fact_id), content=content, everywhere=None, pinned=None))}"


def _setting(*, everywhere: bool | None = None, pinned: bool | None = None) -> Verb:
    def run(recall: Recall, rest: str) -> str:
        return f"Now: {fact_line(recall.change_fact(_id(rest), content=None, everywhere=everywhere, pinned=pinned))}"

    return run


def _remove(recall: Recall, rest: str) -> str:
    return f"Removed: {fact_line(recall.remove_fact(_id(rest)))}"


def _find(recall: Recall, rest: str) -> str:
    return facts_text(recall.find_facts(rest)) or "No fact holds these words."


def _id(text: str) -> str:
    if not _ID.match(text):
        raise UsageError(f"'{text}' is no fact's id", todo=TODO)
    return text


VERBS: dict[str, Verb] = {
    "add": _add,
    "edit": _edit,
    "pin": _setting(pinned=True),
    "unpin": _setting(pinned=False),
    "global": _setting(everywhere=True),
    "project": _setting(everywhere=False),
    "remove": _remove,
    "find": _find,
}
