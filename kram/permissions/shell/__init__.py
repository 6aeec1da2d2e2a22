"""Shell text, parsed and never guessed: every simple command anywhere in it, and whether all of it is understood."""

from .model import Assignment, Command, Parsed, Redirect, Word
from .parse import parse
from .rebuild import rebuilt

__all__ = ["Assignment", "Command", "Parsed", "Redirect", "Word", "parse", "rebuilt"]
