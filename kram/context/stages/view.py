"""What is seen of a single entry: tool results up to a cap, skills from before a compaction up to theirs, pictures only by
models that can see."""

from __future__ import annotations

from collections.abc import Sequence

from kram.context.policy import StageReport, ViewPolicy
from kram.context.skills import trimmed_skills
from kram.context.view import finished, staged
from kram.messages import Entry


def capped(entries: Sequence[Entry], policy: ViewPolicy) -> tuple[list[Entry], StageReport]:
    return staged("view", entries, [finished(one, policy) for one in trimmed_skills(entries)], policy, finishing=True)
