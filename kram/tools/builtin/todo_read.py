"""`todo_read`: the session's todo list."""

from __future__ import annotations

from kram.base import JsonView
from kram.tools.base import BaseTool, schema
from kram.tools.context import ToolContext
from kram.tools.todo_text import todo_text
from kram.tools.tool import ToolResult


class TodoRead(BaseTool):
    name = "todo_read"
    summary = "read the todo list"
    description = "The session's todo list as it stands."
    parameters = schema()
    access = "none"
    parallel = True

    async def run(self, args: JsonView, context: ToolContext) -> ToolResult:
        return ToolResult(text=todo_text(context.todos.get()))
