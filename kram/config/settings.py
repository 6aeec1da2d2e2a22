"""`config.toml` as types. Unknown keys and wrong types are errors; every value has a default."""

from __future__ import annotations

from typing import Literal, TypeAlias

from kram.base import Data

from .models import ComboOptions, Gate, Kind, Price, RateLimit

Mode: TypeAlias = Literal["ask", "accept-edits", "plan", "auto"]


class ModelSettings(Data, forbid_unknown_fields=True):
    """Overrides of the built-in catalogue for one model; None leaves a value as it is."""

    context_window: int | None = None
    max_output: int | None = None
    tools: bool | None = None
    images: bool | None = None
    tool_format: Literal["native", "heredoc"] | None = None
    thinking: Literal["", "enabled", "disabled"] | None = None
    reasoning_effort: str | None = None
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] | None = None
    price: Price | None = None
    quality_hint: float | None = None
    compact: bool | None = None
    quirks: tuple[str, ...] | None = None


class ProviderSettings(Data, forbid_unknown_fields=True):
    kind: Kind
    base_url: str = ""
    api_key_env: str = ""
    key_optional: bool = False
    headers: dict[str, str] = {}
    proxy: str = ""
    rate_limit: RateLimit = RateLimit()
    models: dict[str, ModelSettings] = {}
    model_path: str = ""
    script: str = ""


class ComboSettings(Data, forbid_unknown_fields=True):
    candidates: tuple[str, ...]
    strategy: str = "priority"
    options: ComboOptions = ComboOptions()
    gate: Gate = Gate()


class ContextSettings(Data, forbid_unknown_fields=True):
    """`headroom` in tokens, -1 for none. `stub_above` and `view_cap` in characters. The tail in entries."""

    headroom: int = 0
    tail_messages: int = 8
    tail_tools: int = 16
    stub_above: int = 2_000
    view_cap: int = 60_000


class PermissionSettings(Data, forbid_unknown_fields=True):
    default_mode: Mode = "ask"


class ToolSettings(Data, forbid_unknown_fields=True):
    disabled: tuple[str, ...] = ()
    max_turns: int = 50
    max_segments: int = 4


class UiSettings(Data, forbid_unknown_fields=True):
    animations: bool = True
    notifications: bool = True
    keymap: dict[str, str] = {}


class Settings(Data, forbid_unknown_fields=True):
    """The whole file. `version` is the format's."""

    version: Literal[1] = 1
    default_combo: str = ""
    theme: str = "kram-dark"
    providers: dict[str, ProviderSettings] = {}
    combos: dict[str, ComboSettings] = {}
    context: ContextSettings = ContextSettings()
    permissions: PermissionSettings = PermissionSettings()
    tools: ToolSettings = ToolSettings()
    ui: UiSettings = UiSettings()
