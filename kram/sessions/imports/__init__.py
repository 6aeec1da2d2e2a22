"""Sessions of other programs, and exported ones, as entries of ours: one reader a format, all of them pure."""

from .imported import BadImport, Imported, Turn
from .reading import read_import

__all__ = ["BadImport", "Imported", "Turn", "read_import"]
