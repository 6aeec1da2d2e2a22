"""Who can answer here: configured providers, keys in the environment, stored keys, local servers, the embedded model.

What was configured and is usable becomes the combo `default`, else what was found, in that order. Pure: nothing is sent.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from kram.base import UsageError

from .accounts import from_settings, from_stores, known_account, usable, with_servers
from .catalog import catalog
from .checking import closest
from .models import Combo, Model, Provider, Roster
from .settings import Settings

DEFAULT = "default"


def build_roster(
    settings: Settings,
    *,
    env: Mapping[str, str],
    config_folder: Path,
    local_servers: Iterable[Provider] = (),
) -> Roster:
    """Raises `UsageError` for combos that name nobody, accounts without kind or address, and a default that is not there."""
    configured = {name: from_settings(name, one, env, config_folder) for name, one in settings.providers.items()}
    found = with_servers(from_stores(configured, env, config_folder), local_servers)
    embedded, absent = embedded_provider()
    providers = dict(configured)
    for provider in [*found, *([embedded] if embedded else [])]:
        providers.setdefault(provider.name, provider)
    for candidate in (one for combo in settings.combos.values() for one in combo.candidates):
        if account := known_account(candidate.partition("/")[0]):
            # Named in a combo, no key anywhere: it is there to say so.
            providers.setdefault(account.name, account)
    combos = {name: _combo(name, settings, providers) for name in settings.combos}
    if DEFAULT not in combos and (candidates := _candidates(configured.values(), found, embedded)):
        combos[DEFAULT] = candidates
    roster = Roster(providers=providers, combos=combos, missing=tuple(_missing(providers, combos, absent)))
    return _with_default(roster, settings)


def choose(roster: Roster, name: str, strategy: str = "") -> Combo:
    """A combo by name, or `provider/model` as a combo of one. Raises `UsageError` with what there is."""
    combo = roster.combos.get(name) or _single(roster, name, "--model")
    if combo is None:
        known = [*roster.combos, *(model.name for one in roster.providers.values() for model in one.models)]
        raise UsageError(
            f"There is no combo or model '{name}'",
            todo=closest(name, known[:40]) if known else "`kram models` says what is missing",
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
        tool_format="heredoc",
        compact=True,
        size=facts.size,
    )
    return Provider(name=facts.provider, kind="llama-cpp", key_optional=True, models=(model,), origin="built in"), ""


def _candidates(configured: Iterable[Provider], found: Iterable[Provider], embedded: Provider | None) -> Combo | None:
    """The best model of everyone in the first group that has anyone.

    Whoever configured an account gets no others behind their back, and the embedded model, which cannot program, is never a
    silent stand-in for one that can.
    """
    groups = (
        ("your providers", configured),
        ("found on this machine", found),
        ("built in", [embedded] if embedded else []),
    )
    for origin, group in groups:
        names = tuple(one.models[0].name for one in group if one.models and usable(one))
        if names:
            return Combo(name=DEFAULT, candidates=names, origin=origin)
    return None


def _combo(name: str, settings: Settings, providers: Mapping[str, Provider]) -> Combo:
    given = settings.combos[name]
    if not given.candidates:
        raise UsageError(f"Combo '{name}' has no candidates", todo='Give at least one "provider/model"')
    for candidate in given.candidates:
        provider, _, model = candidate.partition("/")
        if not model:
            raise UsageError(f"Combo '{name}': '{candidate}' is no provider/model")
        if provider not in providers:
            raise UsageError(
                f"Combo '{name}' names the provider '{provider}', which is not declared",
                todo=closest(provider, providers),
            )
    return Combo(
        name=name,
        candidates=tuple(dict.fromkeys(given.candidates)),
        strategy=given.strategy,
        options=given.options,
        gate=given.gate,
        origin="configuration",
    )


def _single(roster: Roster, name: str, origin: str) -> Combo | None:
    if "/" not in name or roster.model(name) is None:
        return None
    return Combo(name=name, candidates=(name,), origin=origin)


def _with_default(roster: Roster, settings: Settings) -> Roster:
    combos, wanted = dict(roster.combos), settings.default_combo
    if wanted and wanted not in combos:
        single = _single(roster, wanted, "default_combo")
        if single is None:
            raise UsageError(f"default_combo names '{wanted}', which is no combo", todo=closest(wanted, combos))
        combos[wanted] = single
    if (other := settings.context.summary_combo) and other not in combos:
        raise UsageError(f"context.summary_combo names '{other}', which is no combo", todo=closest(other, combos))
    default = wanted or (DEFAULT if DEFAULT in combos else next(iter(combos), DEFAULT))
    return msgspec.structs.replace(roster, combos=combos, default_combo=default)


def _missing(providers: Mapping[str, Provider], combos: Mapping[str, Combo], absent: str) -> Iterable[str]:
    """What was looked for and not found, a sentence each, with the one command that helps."""
    for provider in providers.values():
        if not usable(provider):
            variable = provider.api_key_env or "its key"
            yield f"The provider '{provider.name}' has no key: export {variable}=…"
    for combo in combos.values():
        if not any(usable(providers[one.partition("/")[0]]) for one in combo.candidates):
            yield f"The combo '{combo.name}' has nobody who can answer: `kram models` says why"
    if combos:
        return
    variables = ", ".join(known.key_env[0] for known in catalog().providers[:4])
    ports = ", ".join(f"{server.name} on {server.port}" for server in catalog().locals)
    yield f"No key in the environment: export one of {variables}"
    yield f"No local server answered ({ports}): start one, for example `ollama serve`"
    if absent:
        yield absent
