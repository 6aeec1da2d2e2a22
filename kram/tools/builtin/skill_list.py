"""`skill_list`: the skills there are, each with what it is for."""

from __future__ import annotations

from kram.base import JsonView, visible
from kram.tools.base import BaseTool, schema
from kram.tools.context import ToolContext
from kram.tools.tool import ToolResult


class SkillList(BaseTool):
    name = "skill_list"
    summary = "list the skills there are"
    description = "Names and descriptions of all skills; `skill` gives the whole text of one."
    parameters = schema()
    parallel = True

    async def run(self, args: JsonView, context: ToolContext) -> ToolResult:
        skills = [one for one in context.skills().found if one.for_model]
        rows = [f"{one.name} [{one.origin}]: {visible(one.description)}" for one in skills]
        return ToolResult(text="\n".join(rows) or "(no skills)", details={"skills": len(rows)})
