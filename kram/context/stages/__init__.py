"""The pipeline's stages, one file each. Each is a pure function: entries and policy in, entries and a report out."""

from .checkpoint import checkpoint
from .dedupe import dedupe
from .emergency import emergency
from .lod import lod, lower_detail, stub
from .marks import apply_marks
from .neutralise import neutralised
from .pairing import paired
from .structural import structural
from .summary import Folding, fold, foldable, make_marker, summary_of
from .view import capped

__all__ = [
    "Folding",
    "apply_marks",
    "capped",
    "checkpoint",
    "dedupe",
    "emergency",
    "fold",
    "foldable",
    "lod",
    "lower_detail",
    "make_marker",
    "neutralised",
    "paired",
    "structural",
    "stub",
    "summary_of",
]
