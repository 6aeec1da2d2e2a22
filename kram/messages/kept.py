"""What is found again later: words of earlier sessions, and facts that were kept. Plain data for the store and the tools."""

from __future__ import annotations

from typing import Literal, TypeAlias

from kram.base import Data

Scope: TypeAlias = Literal["project", "global"]


class Said(Data):
    """One thing that was said, cut to a readable length; `by` is "summary" for what a model wrote in place of older talk."""

    entry_id: str
    by: Literal["user", "assistant", "summary"]
    text: str
    at_ns: int


class SessionHit(Data):
    """A match with what was said around it in the same session. A lower `score` is a better match."""

    session_id: str
    title: str
    workspace: str
    said: Said
    before: tuple[Said, ...] = ()
    after: tuple[Said, ...] = ()
    score: float = 0.0


class Fact(Data):
    """A memory entry. `workspace` is the folder it belongs to, "" for a fact of all projects. Times in nanoseconds."""

    id: str
    workspace: str
    content: str
    pinned: bool
    created_at: int
    updated_at: int

    @property
    def scope(self) -> Scope:
        return "project" if self.workspace else "global"
