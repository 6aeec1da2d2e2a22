"""All tools by name: what the model sees, what is switched off, and the small set for small models.

The definitions and the overview in the prompt come from the same visible set, so a tool can never stand in one only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kram.base import Json, UsageError
from kram.messages import ToolSpec

from .tool import Tool

COMPACT: dict[str, tuple[str, ...]] = {
    "read_file": ("path",),
    "write_file": ("path", "content"),
    "edit_file": ("path", "old_string", "new_string"),
    "list_dir": (),
    "grep": ("pattern", "path"),
    "bash": ("command",),
}
"""What models with little room get: these tools with these parameters, described by their summaries. `list_dir` has none: so
small a model makes folders up, and the project itself is what it is mostly asked for."""


class ToolRegistry:
    """Order is the order of the overview. Unknown names in `disabled` are an error that names the closest."""

    def __init__(self, tools: Iterable[Tool], disabled: Sequence[str] = ()) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._off: set[str] = set()
        for name in disabled:
            self.set_enabled(name, enabled=False)

    def all(self) -> list[Tool]:
        return list(self._tools.values())

    def get(self, name: str) -> Tool | None:
        """A visible tool; None for one that does not exist or is switched off."""
        return self._tools.get(name) if name not in self._off else None

    def names(self) -> list[str]:
        """The visible ones."""
        return [name for name in self._tools if name not in self._off]

    def enabled(self, name: str) -> bool:
        return name in self._tools and name not in self._off

    def set_enabled(self, name: str, *, enabled: bool) -> None:
        """Raises `UsageError` for an unknown name."""
        if name not in self._tools:
            raise UsageError(f"There is no tool '{name}'", todo=f"Tools: {', '.join(self._tools)}")
        if enabled:
            self._off.discard(name)
        else:
            self._off.add(name)

    def spec(self, name: str) -> ToolSpec:
        tool = self._tools[name]
        return ToolSpec(name=tool.name, description=tool.description, parameters=tool.parameters)

    def specs(self) -> tuple[ToolSpec, ...]:
        return tuple(self.spec(name) for name in self.names())

    def compact_specs(self) -> tuple[ToolSpec, ...]:
        """A few tools with one-line descriptions and bare parameters."""
        return tuple(
            ToolSpec(name=name, description=self._tools[name].summary, parameters=_bare(self._tools[name], wanted))
            for name, wanted in COMPACT.items()
            if self.enabled(name)
        )

    def overview(self) -> str:
        """One line a visible tool, in alphabetical order."""
        return "\n".join(self._line(self._tools[name]) for name in sorted(self.names()))

    @staticmethod
    def _line(tool: Tool) -> str:
        instead = f" (use this instead of {tool.instead_of})" if tool.instead_of else ""
        return f"- {tool.name}: {tool.summary}{instead}"


def _bare(tool: Tool, wanted: tuple[str, ...]) -> Json:
    properties = tool.parameters["properties"]
    required = [name for name in wanted if name in tool.parameters.get("required", ())]
    if tool.name == "edit_file":
        required = list(wanted)
    return {
        "type": "object",
        "properties": {name: {"type": properties[name]["type"]} for name in wanted},
        "required": required,
    }
