"""`todo_write`: replaces the session's todo list."""

from __future__ import annotations

from kram.base import JsonView
from kram.events import Todo, TodosChanged
from kram.tools.base import BaseTool, schema, text
from kram.tools.context import ToolContext
from kram.tools.todo_text import MARKS, todo_text
from kram.tools.tool import ToolFailed, ToolResult

MAX_ITEMS = 100


class TodoWrite(BaseTool):
    name = "todo_write"
    summary = "write down the steps of the work and how far they are"
    description = (
        "Replaces the whole todo list, which the person sees. For work of several steps: write them down first, have one "
        "in_progress at a time, mark each completed when it is."
    )
    parameters = schema(
        ("todos",),
        todos={
            "type": "array",
            "maxItems": MAX_ITEMS,
            "items": schema(("content", "status"), content=text("The step."), status=text("", enum=list(MARKS))),
            "description": "All items in order; an empty list clears it.",
        },
    )
    access = "none"

    async def run(self, args: JsonView, context: ToolContext) -> ToolResult:
        todos = tuple(Todo(content=str(item["content"]).strip(), status=item["status"]) for item in args["todos"])
        if any(not todo.content for todo in todos):
            raise ToolFailed("A todo has no content. Say in a few words what is to be done.")
        context.todos.set(todos)
        context.emit(TodosChanged(todos=todos))
        done = sum(todo.status == "completed" for todo in todos)
        return ToolResult(text=todo_text(todos), details={"done": done, "total": len(todos)})
