"""What a person can choose from: models and tools, as plain rows for any front end."""

from __future__ import annotations

from kram.base import Data
from kram.config import Combo, Model, Price, Provider, Roster, usable
from kram.context import estimate_tools
from kram.providers import embedded_problem
from kram.tools import ToolRegistry

from .live import LiveModels


class ModelChoice(Data):
    """A combo or a single model. `why_not` is "" where it is usable now; `note` tells window, size or candidates.

    `live`: only known from the account's own list. `default`: the combo, or an account's model, that is used without a choice.
    Windows and output caps in tokens, 0 where unknown.
    """

    name: str
    kind: str
    current: bool = False
    default: bool = False
    why_not: str = ""
    note: str = ""
    origin: str = ""
    price: Price | None = None
    provider: str = ""
    live: bool = False
    context_window: int = 0
    trained_window: int = 0
    max_output: int = 0
    tools: bool = True
    images: bool = False
    strategy: str = ""
    candidates: tuple[str, ...] = ()


class Account(Data):
    """An account or server that can be asked. `state`: ok, degraded, down, or "" where it was not asked in this run."""

    name: str
    kind: str
    base_url: str = ""
    origin: str = ""
    state: str = ""
    latency_ms: int = 0
    cause: str = ""
    todo: str = ""


class ToolInfo(Data):
    """A tool as `/tools` shows it; `tokens` is what its definition costs in every request."""

    name: str
    summary: str
    access: str
    enabled: bool
    tokens: int


def model_choices(live: LiveModels, roster: Roster, current: Combo) -> list[ModelChoice]:
    """Combos first, then every model of every provider, what only the live lists name last."""
    rows = [_combo(combo, live, roster, current) for combo in roster.combos.values()]
    models = [
        _model(model, provider, live, current) for provider in roster.providers.values() for model in provider.models
    ]
    return [*rows, *sorted(models, key=lambda one: one.live)]


def _combo(combo: Combo, live: LiveModels, roster: Roster, current: Combo) -> ModelChoice:
    reasons = [_why_not(roster.providers.get(one.partition("/")[0]), live) for one in combo.candidates]
    why_not = "" if not all(reasons) or not reasons else reasons[0]
    return ModelChoice(
        name=combo.name,
        kind="combo",
        current=combo.name == current.name,
        default=combo.name == roster.default_combo,
        note=" → ".join(combo.candidates),
        origin=combo.origin,
        why_not=why_not,
        strategy=combo.strategy,
        candidates=combo.candidates,
    )


def _model(model: Model, provider: Provider, live: LiveModels, current: Combo) -> ModelChoice:
    window = f"{model.context_window // 1000}k" if model.context_window else ""
    return ModelChoice(
        name=model.name,
        kind="model",
        current=current.candidates == (model.name,) and current.name == model.name,
        default=provider.models[0].id == model.id,
        note=" ".join(part for part in (model.size, window) if part),
        origin=provider.origin,
        why_not=_why_not(provider, live),
        price=model.price,
        provider=provider.name,
        live=live.offers(model),
        context_window=model.context_window,
        trained_window=model.trained_window,
        max_output=model.max_output,
        tools=model.tools,
        images=model.images,
    )


def _why_not(provider: Provider | None, live: LiveModels) -> str:
    """Why nobody there can be asked; "" where they can."""
    if provider is None:
        return "its provider is not configured"
    if not usable(provider):
        return "its key is missing"
    if provider.kind == "llama-cpp" and (problem := embedded_problem(provider)):
        return problem
    listing = live.listings.get(provider.name)
    return listing.cause if listing and listing.state == "down" else ""


def accounts(live: LiveModels, roster: Roster) -> list[Account]:
    """Everyone who could be asked, with what came of asking."""
    rows = []
    for provider in roster.providers.values():
        listing = live.listings.get(provider.name)
        why_not = _why_not(provider, live)
        rows.append(
            Account(
                name=provider.name,
                kind=provider.kind,
                base_url=provider.base_url,
                origin=provider.origin,
                state=listing.state if listing else "down" if why_not else "",
                latency_ms=listing.latency_ms if listing else 0,
                cause=listing.cause if listing else why_not,
                todo=listing.todo if listing else "",
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
