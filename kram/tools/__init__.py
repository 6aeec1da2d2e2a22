"""The tools a model can call: the protocol, the registry, the argument gate, text calls."""

from .arguments import Prepared, Ready, Refused, normalise_name, prepare
from .builtin_list import builtin_tools
from .context import Recall, TodoList, ToolContext
from .fact_text import fact_line, facts_text, used_chars
from .registry import ToolRegistry
from .textcalls import TextCall, TextCalls, read_text_calls
from .tool import Access, Effects, Tool, ToolFailed, ToolResult

__all__ = [
    "Access",
    "Effects",
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
    "fact_line",
    "facts_text",
    "normalise_name",
    "prepare",
    "read_text_calls",
    "used_chars",
]
