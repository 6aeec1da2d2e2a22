"""What a person can choose from: models and tools, as plain rows for any front end."""

from __future__ import annotations

from kram.base import Data
from kram.config import Combo, Price, Roster, usable
from kram.context import estimate_tools
from kram.tools import ToolRegistry


class ModelChoice(Data):
    """A combo or a single model. `why_not` is "" where it is usable now; `note` tells window, size or candidates."""

    name: str
    kind: str
    current: bool = False
    why_not: str = ""
    note: str = ""
    origin: str = ""
    price: Price | None = None


class ToolInfo(Data):
    """A tool as `/tools` shows it; `tokens` is what its definition costs in every request."""

    name: str
    summary: str
    access: str
    enabled: bool
    tokens: int


def model_choices(roster: Roster, current: Combo) -> list[ModelChoice]:
    """Combos first, then every model of every provider."""
    rows = [
        ModelChoice(
            name=combo.name,
            kind="combo",
            current=combo.name == current.name,
            note=" → ".join(combo.candidates),
            origin=combo.origin,
            why_not="" if any(roster.model(one) for one in combo.candidates) else "none of its providers is configured",
        )
        for combo in roster.combos.values()
    ]
    for provider in roster.providers.values():
        for model in provider.models:
            window = f"{model.context_window // 1000}k" if model.context_window else ""
            rows.append(
                ModelChoice(
                    name=model.name,
                    kind="model",
                    current=current.candidates == (model.name,) and current.name == model.name,
                    note=" ".join(part for part in (model.size, window) if part),
                    origin=provider.origin,
                    why_not="" if usable(provider) else "its key is missing",
                    price=model.price,
                )
            )
    return rows


def tool_infos(registry: ToolRegistry) -> list[ToolInfo]:
    return [
        ToolInfo(
            name=tool.name,
            summary=tool.summary,
            access=tool.access,
            enabled=registry.enabled(tool.name),
            tokens=estimate_tools([registry.spec(tool.name)]),
        )
        for tool in registry.all()
    ]
