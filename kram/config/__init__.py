"""Providers, models and combos as data; settings in layers, the catalogue, keys, trust, who can answer here."""

from .accounts import usable
from .catalog import Catalog, LocalServer, catalog
from .checking import checked
from .discover import ask_server, discover_local
from .facts import with_facts
from .load import LoadedSettings, load_settings, read_toml
from .models import Combo, ComboOptions, Gate, Kind, Model, Price, Provider, RateLimit, Roster
from .profiles import Profile, forget_profile, keep_profile, profile_rows, read_profiles
from .roster import build_roster, choose, embedded_provider
from .save import amended, edited, set_value, set_values, write_file
from .secrets import forget_key, keep_key, stored_key
from .served import server_kind, window_advice
from .settings import ModelSettings, Settings
from .trust import TrustState, TrustStore
from .trust_review import TrustItem, TrustReview, review

__all__ = [
    "Catalog",
    "Combo",
    "ComboOptions",
    "Gate",
    "Kind",
    "LoadedSettings",
    "LocalServer",
    "Model",
    "ModelSettings",
    "Price",
    "Profile",
    "Provider",
    "RateLimit",
    "Roster",
    "Settings",
    "TrustItem",
    "TrustReview",
    "TrustState",
    "TrustStore",
    "amended",
    "ask_server",
    "build_roster",
    "catalog",
    "checked",
    "choose",
    "discover_local",
    "edited",
    "embedded_provider",
    "forget_key",
    "forget_profile",
    "keep_key",
    "keep_profile",
    "load_settings",
    "profile_rows",
    "read_profiles",
    "read_toml",
    "review",
    "server_kind",
    "set_value",
    "set_values",
    "stored_key",
    "usable",
    "window_advice",
    "with_facts",
    "write_file",
]
