"""Providers, models and combos as data; settings, catalogue, secrets."""

from .models import Combo, ComboOptions, Gate, Kind, Model, Price, Provider, RateLimit, Roster

__all__ = [
    "Combo",
    "ComboOptions",
    "Gate",
    "Kind",
    "Model",
    "Price",
    "Provider",
    "RateLimit",
    "Roster",
]
