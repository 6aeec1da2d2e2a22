"""`config.toml` as types. Unknown keys and wrong types are errors; every value has a default.

What a trusted project may say is declared per key in `scope.py`, and a test asks for every key here.
"""

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
    """One account. `kind` may be left out where the name is one of the catalogue's."""

    kind: Kind | Literal[""] = ""
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
    candidates: tuple[str, ...] = ()
    """`provider/model` each; the strategy decides what their order means."""

    strategy: str = "priority"
    options: ComboOptions = ComboOptions()
    gate: Gate = Gate()


class ContextSettings(Data, forbid_unknown_fields=True):
    reserve: int = 0
    """Tokens kept free for the answer; 0 lets kram decide by the model."""

    headroom: int = 0
    """Tokens below the limit at which shaping starts; -1 for none."""

    tail_messages: int = 8
    """How many of the newest entries are never shortened."""

    tail_tools: int = 16
    """How many of the newest tool results are never shortened."""

    stub_above: int = 2_000
    """Characters above which an old tool result becomes a note."""

    view_cap: int = 60_000
    """Characters of one tool result a model ever sees."""

    summary_combo: str = ""
    """The combo that writes summaries; "" is the session's own."""

    encoding: Literal["none", "yaml", "toon", "csv", "json-toon", "tightc"] = "none"
    """How JSON results of tools are written for the model."""

    recall: bool = False
    """Whether what earlier sessions said about the person's words is pointed out to the model without its asking."""

    transclusion: bool = True
    """Whether `{OUTPUT}` and `{name}` in an answer are filled in with tool output, and the model is told that they are."""


class PermissionSettings(Data, forbid_unknown_fields=True):
    default_mode: Mode = "ask"


class ToolSettings(Data, forbid_unknown_fields=True):
    disabled: tuple[str, ...] = ()
    """Names of tools the model is not offered."""

    order: tuple[str, ...] = ()
    """Names in the order of the overview; "rest" stands for all others."""

    max_turns: int = 50
    """Model calls of one segment of a turn."""

    max_segments: int = 4


class UiSettings(Data, forbid_unknown_fields=True):
    screen: Literal["full", "inline"] = "full"
    animations: bool = True
    notifications: bool = True
    copy_on_select: bool = True
    keymap: dict[str, str] = {}
    """Binding id to keys, comma-separated."""


class Settings(Data, forbid_unknown_fields=True):
    """The whole file. `version` is the format's."""

    version: Literal[1] = 1
    default_combo: str = ""
    """A combo's name, or `provider/model`; "" is the combo `default`."""

    theme: str = "kram-dark"
    providers: dict[str, ProviderSettings] = {}
    combos: dict[str, ComboSettings] = {}
    context: ContextSettings = ContextSettings()
    permissions: PermissionSettings = PermissionSettings()
    tools: ToolSettings = ToolSettings()
    ui: UiSettings = UiSettings()
