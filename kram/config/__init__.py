"""Providers, models and combos as data; settings in layers, the catalogue, keys, trust, who can answer here."""

from .accounts import usable
from .catalog import Catalog, LocalServer, catalog
from .checking import checked
from .discover import ask_server, discover_local
from .load import LoadedSettings, load_settings, read_toml
from .models import Combo, ComboOptions, Gate, Kind, Model, Price, Provider, RateLimit, Roster
from .roster import build_roster, choose, embedded_provider
from .save import set_value
from .secrets import forget_key, keep_key, stored_key
from .settings import Settings
from .trust import TrustState, TrustStore

__all__ = [
    "Catalog",
    "Combo",
    "ComboOptions",
    "Gate",
    "Kind",
    "LoadedSettings",
    "LocalServer",
    "Model",
    "Price",
    "Provider",
    "RateLimit",
    "Roster",
    "Settings",
    "TrustState",
    "TrustStore",
    "ask_server",
    "build_roster",
    "catalog",
    "checked",
    "choose",
    "discover_local",
    "embedded_provider",
    "forget_key",
    "keep_key",
    "load_settings",
    "read_toml",
    "set_value",
    "stored_key",
    "usable",
]
