"""Whether everything kram needs is in order: one small file per family of checks, one line per finding."""

from .examine import FAMILIES, examine, told, worst
from .finding import Finding, State
from .scene import Scene, scene_of

__all__ = ["FAMILIES", "Finding", "Scene", "State", "examine", "scene_of", "told", "worst"]
