"""The tools a model can call: the protocol, the registry, the argument gate, text calls."""

from .arguments import Prepared, Ready, Refused, normalise_name, prepare
from .builtin_list import builtin_tools
from .context import TodoList, ToolContext
from .registry import ToolRegistry
from .textcalls import TextCall, TextCalls, read_text_calls
from .tool import Access, Effects, Tool, ToolFailed, ToolResult

__all__ = [
    "Access",
    "Effects",
    "Prepared",
    "Ready",
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
    "normalise_name",
    "prepare",
    "read_text_calls",
]
