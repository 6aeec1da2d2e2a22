"""Providers, models, candidates and combos as plain data: what configuration, catalogue and discovery add up to."""

from __future__ import annotations

from typing import Literal, TypeAlias

from kram.base import Data

Kind: TypeAlias = Literal["anthropic", "openai-chat", "openai-responses", "gemini", "llama-cpp", "script"]


class Price(Data, forbid_unknown_fields=True):
    """US dollars per million tokens."""

    input: float = 0.0
    output: float = 0.0
    cache_read: float | None = None
    cache_write: float | None = None


class RateLimit(Data, forbid_unknown_fields=True):
    """Client-side limits of one provider, shared by everyone who uses it; 0 is none."""

    per_second: float = 0.0
    per_minute: float = 0.0
    burst: int = 0


class Model(Data):
    """One model of one provider, after catalogue and overrides.

    - `context_window` 0: unknown, so unbudgeted. `trained_window`: what the model was made for, where a local server gives it
      less. `max_output` 0: the provider's default.
    - `thinking`, `reasoning_effort`: "" leaves it to the provider.
    - `max_tokens_field`: openai-chat only.
    - `compact`: a small or CPU-bound model, which gets the compact profile of prompt and tools.
    - `quirks`: names of deviations the adapter obeys (see `kram.providers.compat`).
    """

    provider: str
    id: str
    context_window: int = 0
    trained_window: int = 0
    max_output: int = 0
    tools: bool = True
    images: bool = False
    tool_format: Literal["native", "heredoc"] = "native"
    thinking: Literal["", "enabled", "disabled"] = ""
    reasoning_effort: str = ""
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    price: Price | None = None
    quality_hint: float = 0.0
    compact: bool = False
    size: str = ""
    quirks: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.provider}/{self.id}"


class Provider(Data):
    """One account at one endpoint. `api_key` is resolved at load time and never shown, logged or stored.

    `origin` says where it was found: a file, `environment`, `keyring`, `local server`, `built in`. `key_check`: a path that
    answers only with a valid key, where the vendor's list of models is open to everybody.
    """

    name: str
    kind: Kind
    base_url: str = ""
    api_key: str = ""
    api_key_env: str = ""
    key_optional: bool = False
    headers: dict[str, str] = {}
    proxy: str = ""
    rate_limit: RateLimit = RateLimit()
    models: tuple[Model, ...] = ()
    model_path: str = ""
    script: str = ""
    key_check: str = ""
    origin: str = ""

    def __repr__(self) -> str:
        return f"Provider({self.name!r}, kind={self.kind!r}, base_url={self.base_url!r})"


class Gate(Data, forbid_unknown_fields=True):
    """What a combo demands of an answer before it counts as one."""

    reject_empty: bool = True
    require_terminal: bool = True
    min_content_length: int = 0
    forbidden_substrings: tuple[str, ...] = ()


class ComboOptions(Data, forbid_unknown_fields=True):
    sticky: bool = True
    lkgp_boost: float = 0.1
    exploration: float = 0.03
    weights: dict[str, float] = {}


class Combo(Data):
    """A named list of candidates (`provider/model`) and how to choose among them."""

    name: str
    candidates: tuple[str, ...]
    strategy: str = "priority"
    options: ComboOptions = ComboOptions()
    gate: Gate = Gate()
    origin: str = ""


class Roster(Data):
    """Everything that can answer here, and what was looked for and not found (`missing`, one sentence each)."""

    providers: dict[str, Provider]
    combos: dict[str, Combo]
    default_combo: str = "default"
    missing: tuple[str, ...] = ()

    def model(self, candidate: str) -> Model | None:
        """The model behind `provider/model`; an unlisted model of a known provider is taken at its word."""
        provider_name, _, model_id = candidate.partition("/")
        provider = self.providers.get(provider_name)
        if provider is None or not model_id:
            return None
        for model in provider.models:
            if model.id == model_id:
                return model
        return Model(provider=provider_name, id=model_id)
