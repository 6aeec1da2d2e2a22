"""Shell text, parsed and never guessed: every simple command anywhere in it, and whether all of it is understood."""

from .parse import Command, Parsed, parse
from .rebuild import rebuilt

__all__ = ["Command", "Parsed", "parse", "rebuilt"]
