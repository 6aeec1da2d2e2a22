"""The built-in catalogue: providers, models, windows, prices, where keys are looked for. Facts only, read from `catalog.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import msgspec

from kram.base import Data

from .models import Kind, Model, Price


class CatalogModel(Data, forbid_unknown_fields=True):
    """`quality` is a hint between 0 and 1; a window of 0 is unknown."""

    context_window: int = 0
    max_output: int = 0
    tools: bool = True
    images: bool = False
    quality: float = 0.0
    price: Price | None = None
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    quirks: tuple[str, ...] = ()

    def model(self, provider: str, model_id: str) -> Model:
        return Model(
            provider=provider,
            id=model_id,
            context_window=self.context_window,
            max_output=self.max_output,
            tools=self.tools,
            images=self.images,
            quality_hint=self.quality,
            price=self.price,
            max_tokens_field=self.max_tokens_field,
            quirks=self.quirks,
        )


class CatalogLogin(Data, forbid_unknown_fields=True):
    """A browser login with PKCE that ends in a permanent key; both paths are at the vendor's origin.

    `authorize` takes `callback_url`, `code_challenge`, `code_challenge_method`; `exchange` takes the code and the verifier.
    """

    authorize: str
    exchange: str


class CatalogProvider(Data, forbid_unknown_fields=True):
    """A vendor.

    - `key_env`: variables that hold its key, the first that is set wins. `base_url_env`: the vendor's own variable for another
      address; where that has no path, `base_path` is added, as the vendor's SDK does.
    - `default`: the model that is used when only a key was found.
    - `kind_elsewhere`: what is spoken at any other address, where compatible servers lack the vendor's newest dialect.
    - `key_check`: a path that answers only with a valid key, where the list of models is open to everybody.
    - `key_page`: where a person gets a key.
    """

    name: str
    kind: Kind
    base_url: str
    key_env: tuple[str, ...]
    default: str
    base_url_env: str = ""
    base_path: str = ""
    kind_elsewhere: Kind | Literal[""] = ""
    key_check: str = ""
    key_page: str = ""
    login: CatalogLogin | None = None
    models: dict[str, CatalogModel] = {}

    def kind_at(self, base_url: str) -> Kind:
        return self.kind_elsewhere if self.kind_elsewhere and not self.is_home(base_url) else self.kind

    def is_home(self, base_url: str) -> bool:
        return not base_url or urlsplit(base_url).hostname == urlsplit(self.base_url).hostname

    def known_models(self, provider: str = "") -> list[Model]:
        """Its models under a provider's name, the default first."""
        names = sorted(self.models, key=lambda name: name != self.default)
        return [self.models[name].model(provider or self.name, name) for name in names]


class LocalServer(Data, forbid_unknown_fields=True):
    """A model server on this machine that is looked for at its usual port."""

    name: str
    port: int


class Embedded(Data, forbid_unknown_fields=True):
    """The model that comes as a package; `packages` are the modules it needs."""

    provider: str
    model: str
    size: str
    context_window: int
    max_output: int
    packages: tuple[str, ...]


class Catalog(Data, forbid_unknown_fields=True):
    version: Literal[1]
    providers: tuple[CatalogProvider, ...]
    locals: tuple[LocalServer, ...]
    embedded: Embedded

    def find(self, *, base_url: str = "", name: str = "") -> CatalogProvider | None:
        """A known provider by its name, else by its address."""
        by_name = next((one for one in self.providers if one.name == name), None)
        if by_name is not None or not base_url:
            return by_name
        return next((one for one in self.providers if one.base_url.rstrip("/") == base_url.rstrip("/")), None)

    def vendor_of(self, kind: str) -> CatalogProvider | None:
        """Whose dialect a kind is: where an account of that kind without an address belongs."""
        return next((one for one in self.providers if kind in (one.kind, one.kind_elsewhere)), None)


@cache
def catalog() -> Catalog:
    text = Path(__file__).with_name("catalog.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), Catalog)
