"""The visible part of a long list of blocks: heights, reading position, selection, search. No widget."""

from .heights import Heights
from .search import find, occurrences
from .selection import Mark, Selection, highlighted, joined
from .viewport import Spot, Viewport

__all__ = ["Heights", "Mark", "Selection", "Spot", "Viewport", "find", "highlighted", "joined", "occurrences"]
