"""Sessions as files for people and for other programs: one writer a format, all of them pure."""

from .exported import FORMATS, exported_text, format_of
from .pieces import Exported, file_name

__all__ = ["FORMATS", "Exported", "exported_text", "file_name", "format_of"]
