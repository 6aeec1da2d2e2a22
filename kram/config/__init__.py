"""Providers, models and combos as data; settings in layers, the catalogue, keys, who can answer here."""

from .catalog import Catalog, catalog
from .discover import discover_local
from .load import LoadedSettings, checked, load_settings, read_toml
from .models import Combo, ComboOptions, Gate, Kind, Model, Price, Provider, RateLimit, Roster
from .roster import build_roster, choose, embedded_provider
from .save import set_value
from .secrets import stored_key
from .settings import Settings

__all__ = [
    "Catalog",
    "Combo",
    "ComboOptions",
    "Gate",
    "Kind",
    "LoadedSettings",
    "Model",
    "Price",
    "Provider",
    "RateLimit",
    "Roster",
    "Settings",
    "build_roster",
    "catalog",
    "checked",
    "choose",
    "discover_local",
    "embedded_provider",
    "load_settings",
    "read_toml",
    "set_value",
    "stored_key",
]
