"""`memory_search`: facts of this project and of all projects that hold the words."""

from __future__ import annotations

from kram.base import JsonView
from kram.tools.base import BaseTool, schema, text
from kram.tools.context import ToolContext
from kram.tools.fact_text import facts_text
from kram.tools.tool import Effects, ToolResult


class MemorySearch(BaseTool):
    name = "memory_search"
    summary = "look for facts that were kept earlier"
    description = "Facts of this project and global ones that hold the words, ten at most, with their ids."
    parameters = schema(("query",), query=text("Words; punctuation does not matter."))
    parallel = True

    def effects(self, args: JsonView) -> Effects:
        return Effects(subject=str(args.get("query") or ""))

    async def run(self, args: JsonView, context: ToolContext) -> ToolResult:
        found = context.recall.find_facts(str(args["query"]))
        return ToolResult(text=facts_text(found) or "(no fact holds these words)", details={"found": len(found)})
