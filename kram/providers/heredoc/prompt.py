"""What a model is told about calling tools by text: the dialect, then the tools, each as a line. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from kram.messages import ToolSpec

from .grammar import MAX_CALLS
from .reader import CALL, END

_INSTRUCTIONS = f"""# Tools

You work with tools by writing calls. One answer may hold several calls; each is written on lines of its own:

{CALL} read_file
{{"path": "src/app.py"}}
{END}

Calls that do not depend on each other's results go into one answer, at most {MAX_CALLS} of them:

{CALL} grep
{{"pattern": "parse", "path": "src"}}
{END}
{CALL} write_file
{{
  "path": "notes.md",
  "content": ~~~text
# Notes
Nothing is "escaped" in here.
~~~text
}}
{END}

- {CALL}, the tool's name and a line break; then the arguments as one JSON object; then {END} on a line of its own.
- Text of several lines may be given raw: `~~~` and a tag, the lines as they are, and the same `~~~` and tag alone on a line.
  Choose a tag that the text does not hold.
- Words for the person come before the calls. After the last {END} stop and wait: the results come in the next message.
- Without a call your answer is final. When no tool is needed, just answer."""


def instructions(tools: Iterable[ToolSpec]) -> str:
    """The dialect by example, its rules, and the tools that are there."""
    return f"{_INSTRUCTIONS}\n\nThe tools:\n{tool_list(tools)}"


def tool_list(tools: Iterable[ToolSpec]) -> str:
    """`- name(required, optional?): description`, a line each, in alphabetical order."""
    return "\n".join(f"- {_signature(tool)}: {tool.description}" for tool in sorted(tools, key=lambda one: one.name))


def _signature(tool: ToolSpec) -> str:
    properties = tool.parameters.get("properties")
    required = tool.parameters.get("required")
    needed = required if isinstance(required, list | tuple) else ()
    names = list(properties) if isinstance(properties, dict) else []
    ordered = [*(n for n in names if n in needed), *(f"{n}?" for n in names if n not in needed)]
    return f"{tool.name}({', '.join(ordered)})"
