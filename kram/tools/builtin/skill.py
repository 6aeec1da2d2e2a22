"""`skill`: the whole text of a skill, read when it is needed."""

from __future__ import annotations

import difflib
from itertools import islice

from kram.base import JsonView, visible
from kram.tools.base import BaseTool, schema, text
from kram.tools.context import ToolContext
from kram.tools.tool import Effects, ToolFailed, ToolResult
from kram.workspace import BadSkill, skill_body

MAX_FILES = 50


class SkillTool(BaseTool):
    name = "skill"
    summary = "read how a kind of work is done here"
    description = "The whole text of a skill and the files that belong to it. Read it before the work it describes."
    parameters = schema(("name",), name=text("The skill's name."))
    parallel = True

    def effects(self, args: JsonView) -> Effects:
        return Effects(subject=str(args.get("name") or ""))

    async def run(self, args: JsonView, context: ToolContext) -> ToolResult:
        skills = context.skills()
        name = str(args["name"]).strip().removeprefix("/")
        found = skills.get(name)
        if found is None or not found.for_model:
            names = [one.name for one in skills.found if one.for_model]
            near = difflib.get_close_matches(name, names, n=3)
            known = f"Did you mean {', '.join(near)}?" if near else f"There are: {', '.join(names) or 'none'}."
            raise ToolFailed(f"There is no skill '{name}'. {known}")
        try:
            body = skill_body(found)
        except BadSkill as failure:
            raise ToolFailed(f"The skill '{name}' cannot be used: {failure}.") from failure
        inside = (path for path in found.folder.rglob("*") if path.is_file() and path != found.path)
        files = sorted(path.relative_to(found.folder).as_posix() for path in islice(inside, MAX_FILES + 1))
        listed = f"\nFiles: {', '.join(files[:MAX_FILES])}{', …' if len(files) > MAX_FILES else ''}" if files else ""
        head = f"Skill {found.name}. Its folder is {found.folder}; paths in it are relative to that.{listed}"
        return ToolResult(text=visible(f"{head}\n\n{body}"), details={"skill": found.name, "path": str(found.path)})
