"""What is known of each model, laid over each other: catalogue and discovery < the account's live list < what probing
taught < what the person wrote.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from .models import Model, Provider, Roster
from .profiles import Profile
from .settings import ModelSettings, ProviderSettings, Settings


def with_facts(
    roster: Roster,
    settings: Settings,
    *,
    live: Mapping[str, Sequence[Model]] | None = None,
    profiles: Mapping[str, Profile] | None = None,
) -> Roster:
    """The roster with everything that is known. `live`: provider -> models of its list; `profiles`: `provider/model` -> profile.

    Models that only the live list names come last, so that an account's first model stays what it was.
    """
    known = profiles or {}
    providers = {
        name: _provider(provider, (live or {}).get(name, ()), known, settings.providers.get(name))
        for name, provider in roster.providers.items()
    }
    return msgspec.structs.replace(roster, providers=providers)


def _provider(
    provider: Provider, live: Sequence[Model], profiles: Mapping[str, Profile], written: ProviderSettings | None
) -> Provider:
    offered = {model.id: model for model in live}
    there = [_with_live(model, offered.pop(model.id, None)) for model in provider.models]
    models = []
    for model in [*there, *offered.values()]:
        profile = profiles.get(model.name)
        if profile is not None and profile.fits(provider):
            model = overridden(model, profile.facts)
        models.append(overridden(model, written.models[model.id]) if written and model.id in written.models else model)
    return msgspec.structs.replace(provider, models=tuple(models))


def _with_live(model: Model, live: Model | None) -> Model:
    """What a server tells of the model it really serves; where it tells no window, the known one stays."""
    if live is None:
        return model
    return msgspec.structs.replace(
        model,
        context_window=live.context_window or model.context_window,
        trained_window=live.trained_window or model.trained_window,
        max_output=model.max_output or live.max_output,
        price=model.price or live.price,
        tools=live.tools,
        images=live.images,
    )


def overridden(model: Model, given: ModelSettings) -> Model:
    """The model with every value that is given; None leaves one as it is."""
    changes = {name: value for name in given.__struct_fields__ if (value := getattr(given, name)) is not None}
    return msgspec.structs.replace(model, **changes)
