"""`/memory` on the screen: all facts in a list, to add, change, pin, move to another scope, and remove."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from kram.base import UsageError
from kram.messages import Fact
from kram.tools import Recall
from kram.tui.dialogs.ask_text import AskText
from kram.tui.dialogs.picker import Picker, Row

from .pickers import Pickers

ADD = "add"


class MemoryScreen(Pickers):
    """The part of the session screen that shows what is remembered."""

    async def show_memory(self) -> None:
        """Until Esc; Enter adds a fact or changes one."""
        self._doomed = ""
        acts: Any = {
            "ctrl+p": ("pin", lambda key: self._change(key, lambda fact: {"pinned": not fact.pinned})),
            "ctrl+g": (
                "global or project",
                lambda key: self._change(key, lambda fact: {"everywhere": bool(fact.workspace)}),
            ),
            "ctrl+x": ("remove (twice)", self._remove_fact),
        }
        while chosen := await self._pick(Picker("What is remembered", self._fact_rows(), acts=acts)):
            fact = self._facts().get(chosen)
            title = f"Change #{fact.id}" if fact else "A fact for this project"
            words = await self.app.push_screen_wait(AskText(title, fact.content if fact else ""))
            if words:
                self._try(partial(_keep, fact=fact, words=words))

    def _facts(self) -> dict[str, Fact]:
        return {fact.id: fact for fact in self.runtime.recall.facts()}

    def _fact_rows(self) -> list[Row]:
        rows = [
            Row(key=one.id, text=one.content, note=f"#{one.id} {one.scope}", mark="▲" if one.pinned else " ")
            for one in self._facts().values()
        ]
        return [Row(key=ADD, text="Add a fact", mark="+"), *rows]

    def _change(self, key: str, other: Callable[[Fact], dict[str, bool]]) -> Sequence[Row]:
        if (fact := self._facts().get(key)) is not None:
            how: dict[str, Any] = {"content": None, "everywhere": None, "pinned": None, **other(fact)}
            self._try(lambda recall: recall.change_fact(fact.id, **how))
        return self._fact_rows()

    def _remove_fact(self, key: str) -> Sequence[Row]:
        if key == self._doomed:
            self._try(lambda recall: recall.remove_fact(key))
            self._doomed = ""
        elif key != ADD:
            self._doomed = key
            self.notify("Press ^x again to forget this for good.")
        return self._fact_rows()

    def _try(self, act: Callable[[Recall], object]) -> None:
        """What cannot be done is told on the spot."""
        try:
            act(self.runtime.recall)
        except UsageError as failure:
            self.notify(str(failure), severity="error", markup=False)


def _keep(recall: Recall, *, fact: Fact | None, words: str) -> None:
    if fact is None:
        recall.add_fact(words, everywhere=False, pinned=False)
    else:
        recall.change_fact(fact.id, content=words, everywhere=None, pinned=None)
