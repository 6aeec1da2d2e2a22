"""The built-in catalogue: providers, models, windows, prices, where keys are looked for. Facts only, read from `catalog.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Literal

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


class CatalogProvider(Data, forbid_unknown_fields=True):
    """`default` is the model that is used when only a key was found."""

    name: str
    kind: Kind
    base_url: str
    key_env: tuple[str, ...]
    default: str
    base_url_env: str = ""
    models: dict[str, CatalogModel] = {}


class LocalServer(Data, forbid_unknown_fields=True):
    name: str
    port: int


class Embedded(Data, forbid_unknown_fields=True):
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
        """A known provider by its name or its address."""
        for provider in self.providers:
            if provider.name == name or (base_url and provider.base_url.rstrip("/") == base_url.rstrip("/")):
                return provider
        return None


@cache
def catalog() -> Catalog:
    text = files("kram.config").joinpath("catalog.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), Catalog)
