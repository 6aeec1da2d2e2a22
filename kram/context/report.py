"""The numbers of the context panel and the workbench: the same ones the trigger uses, to the token."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from kram.events import ContextEntry, ContextItem, ContextReport
from kram.messages import Entry, Kind, ToolSpec

from .budget import Plan
from .labels import label, subjects
from .parts import Prompt, PromptPart
from .pipeline import View
from .policy import ViewPolicy
from .tail import begins_turn
from .view import cost

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
    view: View, prompt: Prompt, tools: Sequence[ToolSpec], plan: Plan, policy: ViewPolicy, *, model: str
) -> ContextReport:
    """Tokens by category, zero rows left out; `free` and the reserve only where the window is known."""
    tokens: dict[str, int] = {}
    counts: dict[str, int] = {}

    def count(category: str, amount: int) -> None:
        tokens[category] = tokens.get(category, 0) + amount
        counts[category] = counts.get(category, 0) + 1

    for entry in view.entries:
        count(_category(entry), policy.meter.entry(entry))
    for part in prompt.parts:
        count(part.category, _part(part, policy))
    if tools:
        tokens["tool_definitions"], counts["tool_definitions"] = policy.meter.count_tools(tools), len(tools)
    if policy.meter.per_request and prompt.parts:
        # What a provider adds by itself, mostly instructions for the use of tools.
        category = "tool_definitions" if tools else prompt.parts[0].category
        tokens[category] = max(0, tokens.get(category, 0) + policy.meter.per_request)
    used = sum(tokens.values())
    if plan.window:
        tokens["response_reserve"] = plan.reserve
        tokens["free"] = max(0, plan.window - used - plan.reserve)
    items = tuple(
        ContextItem(category=name, tokens=tokens[name], count=counts.get(name, 0)) for name in ORDER if tokens.get(name)
    )
    return ContextReport(
        window=plan.window,
        reserve=plan.reserve,
        used=used,
        items=items,
        model=model,
        target=plan.target,
        history=plan.history,
    )


def with_entries(
    report: ContextReport,
    entries: Sequence[Entry],
    view: View,
    policy: ViewPolicy,
    *,
    prompt: Prompt,
    tools: Sequence[ToolSpec],
) -> ContextReport:
    """The report with every item: parts, tools, then the session's entries in order, those left out included."""
    rows = [
        ContextEntry(
            id=f"part:{part.id}",
            kind="part",
            label=part.id,
            category=part.category,
            tokens=_part(part, policy),
            full_tokens=_part(part, policy),
            origin=part.source,
        )
        for part in prompt.parts
    ]
    for tool in tools:
        cost = policy.meter.count_tools([tool])
        rows.append(
            ContextEntry(
                id=f"tool:{tool.name}",
                kind="tool",
                label=tool.name,
                category="tool_definitions",
                tokens=cost,
                full_tokens=cost,
                origin="builtin",
            )
        )
    return msgspec.structs.replace(report, entries=(*rows, *_entry_rows(entries, view, policy)))


def _part(part: PromptPart, policy: ViewPolicy) -> int:
    return policy.meter.count(part.content) + policy.meter.per_message


def cache_price(view: View, entries: Sequence[Entry], ids: Sequence[str], policy: ViewPolicy) -> int:
    """Tokens a provider would have to read again if these entries changed: all that is sent behind the first of them."""
    touched = frozenset(ids)
    first = next((at for at, one in enumerate(entries) if one.id in touched), len(entries))
    behind = {one.id for one in entries[first + 1 :]}
    return sum(policy.meter.entry(one) for one in view.entries if one.id in behind)


def _entry_rows(entries: Sequence[Entry], view: View, policy: ViewPolicy) -> list[ContextEntry]:
    sent = {one.id: policy.meter.entry(one) for one in view.entries}
    about = subjects(entries)
    marks = policy.marks.by_id()
    turns = _turns(entries)
    last = max(turns, default=0)
    used = _last_uses(entries, turns, about)
    touched = {entry_id: report.name for report in view.reports if report.name != "view" for entry_id in report.touched}
    touched |= view.shape.by
    return [
        ContextEntry(
            id=one.id,
            kind=str(one.kind),
            label=label(one, about),
            category=_category(one),
            tokens=sent.get(one.id, 0),
            full_tokens=cost(one, policy),
            age=last - turn,
            last_use=last - used[one.id],
            at=one.created_at,
            origin=_origin(one),
            mark=marks.get(one.id, ""),
            shaped="" if marks.get(one.id) in ("dropped", "shortened") else touched.get(one.id, ""),
        )
        for one, turn in zip(entries, turns, strict=True)
    ]


def _turns(entries: Sequence[Entry]) -> list[int]:
    """The number of each entry's turn."""
    turn = 0
    found: list[int] = []
    for one in entries:
        turn += begins_turn(one)
        found.append(turn)
    return found


def _last_uses(entries: Sequence[Entry], turns: Sequence[int], about: Mapping[str, str]) -> dict[str, int]:
    """Entry id -> the last turn in which a call was about the same path, command or the like; its own turn otherwise."""
    latest = {about[one.id]: turn for one, turn in zip(entries, turns, strict=True) if about.get(one.id)}
    return {one.id: latest.get(about.get(one.id, ""), turn) for one, turn in zip(entries, turns, strict=True)}


def _category(entry: Entry) -> str:
    return "compaction_summary" if entry.kind == Kind.COMPACTION else "messages"


def _origin(one: Entry) -> str:
    if one.origin:
        return one.origin
    if one.kind == Kind.USER:
        return "person"
    return one.tool_name if one.kind == Kind.TOOL_RESULT else one.model or "kram"
