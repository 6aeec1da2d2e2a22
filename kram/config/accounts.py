"""Accounts: what the configuration, the environment, the credentials and local servers say, each as a `Provider`.

The environment beats stored keys; an address in the configuration beats the vendor's own variable.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from kram.base import UsageError

from .catalog import CatalogProvider, catalog
from .facts import overridden
from .models import Kind, Model, Provider
from .secrets import stored_key
from .settings import ProviderSettings

_WITHOUT_KEY: tuple[Kind, ...] = ("llama-cpp", "script")


def usable(provider: Provider) -> bool:
    """Whether it has what it needs to be asked; whether it answers is another question."""
    return bool(provider.api_key) or provider.key_optional


def from_settings(name: str, given: ProviderSettings, env: Mapping[str, str], config_folder: Path) -> Provider:
    """A configured account. Raises `UsageError` where kind or address cannot be told."""
    vendor = catalog().find(name=name, base_url=given.base_url)
    if vendor is not None and given.kind and given.kind not in (vendor.kind, vendor.kind_elsewhere):
        vendor = None
    if vendor is None and not given.base_url and given.kind not in _WITHOUT_KEY:
        vendor = catalog().vendor_of(given.kind)
    address = given.base_url or (_address(vendor, env) if vendor else "")
    kind = given.kind or (vendor.kind_at(address) if vendor else "")
    if not kind:
        raise UsageError(
            f"The provider '{name}' has no kind", where=f"providers.{name}", todo='Add kind = "openai-chat"'
        )
    variables = (given.api_key_env,) if given.api_key_env else (vendor.key_env if vendor else ())
    key, _ = _key(name, variables, env, config_folder)
    return Provider(
        name=name,
        kind=kind,
        base_url=address,
        api_key=key,
        api_key_env=variables[0] if variables else "",
        key_optional=given.key_optional or kind in _WITHOUT_KEY,
        headers=given.headers,
        proxy=given.proxy,
        rate_limit=given.rate_limit,
        models=_models(name, given, kind, vendor),
        model_path=given.model_path,
        script=given.script,
        key_check=vendor.key_check if vendor else "",
        origin="configuration",
    )


def _models(name: str, given: ProviderSettings, kind: Kind, vendor: CatalogProvider | None) -> tuple[Model, ...]:
    """What was written, in its order, then what the catalogue knows beside."""
    known = {one.id: one for one in vendor.known_models(name)} if vendor else {}
    written = {
        model_id: overridden(known.get(model_id) or _bare_model(name, model_id, kind), overrides)
        for model_id, overrides in given.models.items()
    }
    if kind in _WITHOUT_KEY and not written:
        written = _own_model(name, given, kind)
    return tuple({**written, **{one: model for one, model in known.items() if one not in written}}.values())


def _own_model(name: str, given: ProviderSettings, kind: Kind) -> dict[str, Model]:
    """The one model of a file: the file's name, or the embedded model's facts."""
    facts = catalog().embedded
    if file := given.model_path or given.script:
        return {Path(file).stem: _bare_model(name, Path(file).stem, kind)}
    if kind != "llama-cpp":
        return {}
    model = msgspec.structs.replace(
        _bare_model(name, facts.model, kind),
        context_window=facts.context_window,
        max_output=facts.max_output,
        compact=True,
        size=facts.size,
    )
    return {facts.model: model}


def _bare_model(name: str, model_id: str, kind: Kind) -> Model:
    """A model of which only the name is known. llama.cpp takes a grammar, so every model in it can call tools by text."""
    return Model(provider=name, id=model_id, tool_format="heredoc" if kind == "llama-cpp" else "native")


def from_stores(configured: Mapping[str, Provider], env: Mapping[str, str], config_folder: Path) -> list[Provider]:
    """Vendors nobody configured whose key is in the environment, then those whose key is stored, each in catalogue order."""
    vendors = [vendor for vendor in catalog().providers if vendor.name not in configured]
    found = {vendor.name: _found(vendor, env, _in_environment(vendor.key_env, env)) for vendor in vendors}
    named = [one for one in found.values() if one is not None]
    rest = [vendor for vendor in vendors if found[vendor.name] is None]
    stored = (_found(vendor, env, stored_key(config_folder, vendor.name)) for vendor in rest)
    return [*named, *(one for one in stored if one is not None)]


def _found(vendor: CatalogProvider, env: Mapping[str, str], key: tuple[str, str]) -> Provider | None:
    value, origin = key
    if not value:
        return None
    address = _address(vendor, env)
    return Provider(
        name=vendor.name,
        kind=vendor.kind_at(address),
        base_url=address,
        api_key=value,
        api_key_env=vendor.key_env[0],
        models=tuple(vendor.known_models()),
        key_check=vendor.key_check,
        origin=origin,
    )


def known_account(name: str) -> Provider | None:
    """A vendor of the catalogue, without a key."""
    vendor = catalog().find(name=name)
    if vendor is None:
        return None
    return Provider(
        name=vendor.name,
        kind=vendor.kind,
        base_url=vendor.base_url,
        api_key_env=vendor.key_env[0],
        models=tuple(vendor.known_models()),
        key_check=vendor.key_check,
        origin="catalogue",
    )


def with_servers(found: list[Provider], servers: Iterable[Provider]) -> list[Provider]:
    """Accounts and servers. A server at an account's address tells which models there really are at it."""
    merged = list(found)
    for server in servers:
        same = next(
            (n for n, one in enumerate(merged) if one.base_url.rstrip("/") == server.base_url.rstrip("/")), None
        )
        if same is None:
            merged.append(server)
        else:
            account = merged[same]
            models = tuple(msgspec.structs.replace(model, provider=account.name) for model in server.models)
            merged[same] = msgspec.structs.replace(account, models=models)
    return merged


def _address(vendor: CatalogProvider, env: Mapping[str, str]) -> str:
    """The vendor's own variable, completed as its SDK does, else its usual address."""
    given = env.get(vendor.base_url_env, "").strip().rstrip("/") if vendor.base_url_env else ""
    if not given:
        return vendor.base_url
    return given if urlsplit(given).path else given + vendor.base_path


def _in_environment(variables: Iterable[str], env: Mapping[str, str]) -> tuple[str, str]:
    return next(((value, f"${one}") for one in variables if (value := env.get(one, "").strip())), ("", ""))


def _key(name: str, variables: Iterable[str], env: Mapping[str, str], config_folder: Path) -> tuple[str, str]:
    found = _in_environment(variables, env)
    return found if found[0] else stored_key(config_folder, name)
