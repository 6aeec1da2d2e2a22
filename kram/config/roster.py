"""Who can answer here: configured providers, keys in the environment, stored keys, local servers, the embedded model.

What is found beside the configuration becomes the combo `default` in that order; what is not found is said in `missing`.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from kram.base import UsageError

from .catalog import CatalogProvider, catalog
from .models import Combo, Model, Provider, Roster
from .secrets import stored_key
from .settings import ModelSettings, ProviderSettings, Settings

DEFAULT = "default"


def build_roster(
    settings: Settings,
    *,
    env: Mapping[str, str],
    config_folder: Path,
    local_servers: Iterable[Provider] = (),
) -> Roster:
    """Raises `UsageError` for combos that name nobody, kinds without an address, and a default combo that is not there."""
    providers = {name: _configured(name, one, env, config_folder) for name, one in settings.providers.items()}
    found = [*_from_keys(providers, env, config_folder), *local_servers]
    embedded, problem = embedded_provider()
    if embedded is not None:
        found.append(embedded)
    for provider in found:
        providers.setdefault(provider.name, provider)
    combos = {name: _combo(name, settings, providers) for name in settings.combos}
    if DEFAULT not in combos:
        candidates = tuple(provider.models[0].name for provider in found if provider.models)
        candidates = candidates or tuple(one.models[0].name for one in providers.values() if one.models)
        if candidates:
            # The embedded model cannot program: it answers when nobody else is there, never as a silent fallback.
            best = tuple(name for name in candidates if embedded is None or not name.startswith(f"{embedded.name}/"))
            combos[DEFAULT] = Combo(name=DEFAULT, candidates=best or candidates, origin="found on this machine")
    default = settings.default_combo or (DEFAULT if DEFAULT in combos else next(iter(combos), DEFAULT))
    if settings.default_combo and default not in combos:
        raise UsageError(
            f"default_combo names '{default}', which is no combo", todo=f"Combos: {', '.join(combos) or 'none'}"
        )
    missing = () if combos else _missing(problem)
    return Roster(providers=providers, combos=combos, default_combo=default, missing=missing)


def choose(roster: Roster, name: str, strategy: str = "") -> Combo:
    """A combo by name, or `provider/model` as a combo of one. Raises `UsageError` with what there is."""
    combo = roster.combos.get(name)
    if combo is None and "/" in name and roster.model(name) is not None:
        combo = Combo(name=name, candidates=(name,), origin="--model")
    if combo is None:
        known = [*roster.combos, *(model.name for one in roster.providers.values() for model in one.models)]
        raise UsageError(
            f"There is no combo or model '{name}'",
            todo=f"Known: {', '.join(known[:12])}" if known else "`kram models` says what is missing",
        )
    return msgspec.structs.replace(combo, strategy=strategy) if strategy else combo


def embedded_provider() -> tuple[Provider | None, str]:
    """The embedded model as a provider, or why there is none."""
    facts = catalog().embedded
    absent = [package for package in facts.packages if importlib.util.find_spec(package) is None]
    if absent:
        return None, f"The embedded model is not installed ({', '.join(absent)} missing): pip install 'kram[local]'"
    model = Model(
        provider=facts.provider,
        id=facts.model,
        context_window=facts.context_window,
        max_output=facts.max_output,
        compact=True,
        size=facts.size,
    )
    return Provider(name=facts.provider, kind="llama-cpp", key_optional=True, models=(model,), origin="built in"), ""


def _configured(name: str, given: ProviderSettings, env: Mapping[str, str], config_folder: Path) -> Provider:
    known = catalog().find(name=name, base_url=given.base_url)
    if known is not None and known.kind != given.kind:
        known = None
    key, origin = _key(
        name, (given.api_key_env,) if given.api_key_env else (known.key_env if known else ()), env, config_folder
    )
    base_url = given.base_url or (_base_url(known, env) if known else "")
    models = {one.id: one for one in _known_models(name, known)} if known else {}
    for model_id, overrides in given.models.items():
        models[model_id] = _overridden(models.get(model_id) or Model(provider=name, id=model_id), overrides)
    if given.kind == "llama-cpp" and not models:
        embedded, _ = embedded_provider()
        models = {one.id: msgspec.structs.replace(one, provider=name) for one in embedded.models} if embedded else {}
    return Provider(
        name=name,
        kind=given.kind,
        base_url=base_url,
        api_key=key,
        api_key_env=given.api_key_env,
        key_optional=given.key_optional or given.kind in ("llama-cpp", "script"),
        headers=given.headers,
        proxy=given.proxy,
        rate_limit=given.rate_limit,
        models=tuple(models.values()),
        model_path=given.model_path,
        script=given.script,
        origin=origin or "configuration",
    )


def _overridden(model: Model, given: ModelSettings) -> Model:
    changes = {name: value for name in given.__struct_fields__ if (value := getattr(given, name)) is not None}
    return msgspec.structs.replace(model, **changes)


def _from_keys(configured: Mapping[str, Provider], env: Mapping[str, str], config_folder: Path) -> Iterable[Provider]:
    """Catalogue providers with a key in the environment or in the store, which nobody configured."""
    for known in catalog().providers:
        if known.name in configured:
            continue
        key, origin = _key(known.name, known.key_env, env, config_folder)
        if key:
            models = sorted(_known_models(known.name, known), key=lambda model: model.id != known.default)
            yield Provider(
                name=known.name,
                kind=known.kind,
                base_url=_base_url(known, env),
                api_key=key,
                models=tuple(models),
                origin=origin,
            )


def _known_models(name: str, known: CatalogProvider) -> list[Model]:
    return [facts.model(name, model_id) for model_id, facts in known.models.items()]


def _base_url(known: CatalogProvider, env: Mapping[str, str]) -> str:
    return (env.get(known.base_url_env, "") if known.base_url_env else "") or known.base_url


def _key(name: str, variables: Iterable[str], env: Mapping[str, str], config_folder: Path) -> tuple[str, str]:
    """The environment beats the store."""
    for variable in variables:
        if value := env.get(variable, "").strip():
            return value, f"${variable}"
    return stored_key(config_folder, name)


def _combo(name: str, settings: Settings, providers: Mapping[str, Provider]) -> Combo:
    given = settings.combos[name]
    if not given.candidates:
        raise UsageError(f"Combo '{name}' has no candidates", todo='Give at least one "provider/model"')
    for candidate in given.candidates:
        provider, _, model = candidate.partition("/")
        if not model:
            raise UsageError(f"Combo '{name}': '{candidate}' is no provider/model")
        if provider not in providers and catalog().find(name=provider) is None:
            raise UsageError(
                f"Combo '{name}' names the provider '{provider}', which is not declared",
                todo=f"Declared: {', '.join(providers) or 'none'}",
            )
    return Combo(
        name=name,
        candidates=given.candidates,
        strategy=given.strategy,
        options=given.options,
        gate=given.gate,
        origin="configuration",
    )


def _missing(problem: str) -> tuple[str, ...]:
    variables = ", ".join(known.key_env[0] for known in catalog().providers[:4])
    ports = ", ".join(f"{server.name} on {server.port}" for server in catalog().locals)
    return (
        f"No key in the environment: export one of {variables}",
        f"No local server: {ports} did not answer",
        problem,
    )
