"""What built-in tools share: sensible defaults of the `Tool` protocol, and small helpers for arguments."""

from __future__ import annotations

from typing import Any, ClassVar

from kram.base import Json, JsonView

from .context import ToolContext
from .tool import Access, Effects


class BaseTool:
    """Defaults: nothing to preview, no effects, one call at a time."""

    name: ClassVar[str]
    summary: ClassVar[str]
    description: ClassVar[str]
    parameters: ClassVar[Json]
    access: ClassVar[Access] = "read"
    instead_of: ClassVar[str] = ""
    parallel: ClassVar[bool] = False

    def effects(self, args: JsonView) -> Effects:
        return Effects()

    async def preview(self, args: JsonView, context: ToolContext) -> str:
        return ""


def schema(required: tuple[str, ...] = (), **properties: Json) -> Json:
    """A JSON Schema of type object."""
    made: Json = {"type": "object", "properties": properties}
    if required:
        made["required"] = list(required)
    return made


def text(description: str, **more: Any) -> Json:
    return {"type": "string", "description": description, **more}


def number(description: str, **more: Any) -> Json:
    return {"type": "integer", "description": description, **more}


def flag(description: str) -> Json:
    return {"type": "boolean", "description": description}
