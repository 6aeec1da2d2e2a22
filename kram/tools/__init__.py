"""The tools a model can call: the protocol, the registry, the argument gate, text calls."""

from .arguments import Prepared, Ready, Refused, normalise_name, prepare
from .builtin_list import builtin_tools
from .context import Recall, TodoList, ToolContext
from .encode import ENCODINGS, Encoding, encoded
from .fact_text import fact_line, facts_text, used_chars
from .lift import Lift, lift_of, pending_text
from .registry import ToolRegistry
from .textcalls import TextCall, TextCalls, read_text_calls
from .tool import Access, Effects, Tool, ToolFailed, ToolResult

__all__ = [
    "ENCODINGS",
    "Access",
    "Effects",
    "Encoding",
    "Lift",
    "Prepared",
    "Ready",
    "Recall",
    "Refused",
    "TextCall",
    "TextCalls",
    "TodoList",
    "Tool",
    "ToolContext",
    "ToolFailed",
    "ToolRegistry",
    "ToolResult",
    "builtin_tools",
    "encoded",
    "fact_line",
    "facts_text",
    "lift_of",
    "normalise_name",
    "pending_text",
    "prepare",
    "read_text_calls",
    "used_chars",
]
