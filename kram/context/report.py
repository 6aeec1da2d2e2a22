"""The numbers of the context panel: the same ones the trigger uses, to the token."""

from __future__ import annotations

from collections.abc import Sequence

from kram.events import ContextItem, ContextReport
from kram.messages import Entry, Kind, ToolSpec

from .budget import Plan
from .parts import Prompt
from .tokens import estimate_entry, estimate_tools

ORDER = (
    "messages",
    "system_prompt",
    "tool_overview",
    "tool_definitions",
    "project_context",
    "memory",
    "compaction_summary",
    "response_reserve",
    "free",
)


def context_report(
    entries: Sequence[Entry], prompt: Prompt, tools: Sequence[ToolSpec], plan: Plan, *, model: str
) -> ContextReport:
    """Tokens by category, zero rows left out; `free` and the reserve only where the window is known."""
    tokens: dict[str, int] = {}
    counts: dict[str, int] = {}

    def count(category: str, amount: int) -> None:
        tokens[category] = tokens.get(category, 0) + amount
        counts[category] = counts.get(category, 0) + 1

    for entry in entries:
        count("compaction_summary" if entry.kind == Kind.COMPACTION else "messages", estimate_entry(entry))
    for part in prompt.parts:
        count(part.category, part.tokens)
    if tools:
        tokens["tool_definitions"], counts["tool_definitions"] = estimate_tools(tools), len(tools)
    used = sum(tokens.values())
    if plan.window:
        tokens["response_reserve"] = plan.reserve
        tokens["free"] = max(0, plan.window - used - plan.reserve)
    items = tuple(
        ContextItem(category=name, tokens=tokens[name], count=counts.get(name, 0)) for name in ORDER if tokens.get(name)
    )
    return ContextReport(window=plan.window, reserve=plan.reserve, used=used, items=items, model=model)
