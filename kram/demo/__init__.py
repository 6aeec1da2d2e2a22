"""Guided tours: a scratch copy of a small project and a script for the model. Everything else is the real thing."""

from .tour import Tour, prepare, tour_names

__all__ = ["Tour", "prepare", "tour_names"]
