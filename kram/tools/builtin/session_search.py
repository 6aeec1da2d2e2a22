"""`session_search`: what was said in earlier sessions, with its surroundings."""

from __future__ import annotations

from collections.abc import Iterable

from kram.base import JsonView, iso_utc, one_line, visible
from kram.messages import Said, SessionHit
from kram.tools.base import BaseTool, flag, number, schema, text
from kram.tools.context import ToolContext
from kram.tools.tool import Effects, ToolResult

MAX_LIMIT = 50
_BY = {"user": "person", "assistant": "model", "summary": "summary (written by a model)"}


class SessionSearch(BaseTool):
    name = "session_search"
    summary = "look up what was said in earlier sessions"
    description = (
        "Finds what the person and models said in earlier sessions of this project, all words of the query together, the "
        "best matches first, each with the messages around it. It is a record of the past: check what may have changed."
    )
    parameters = schema(
        ("query",),
        query=text("Words that were said; punctuation does not matter."),
        limit=number("How many matches, 8 without it.", minimum=1, maximum=MAX_LIMIT),
        scope=text(
            "The person's own sessions (user, the default), or those of subagents too (all).", enum=["user", "all"]
        ),
        all_projects=flag("Look in the sessions of every project, where the person asks for that."),
    )
    parallel = True

    def effects(self, args: JsonView) -> Effects:
        return Effects(subject=str(args.get("query") or ""))

    async def run(self, args: JsonView, context: ToolContext) -> ToolResult:
        everywhere = bool(args.get("all_projects"))
        hits = context.recall.search(
            str(args["query"]),
            limit=int(args.get("limit") or 8),
            subagents=args.get("scope") == "all",
            everywhere=everywhere,
        )
        found = "\n\n".join(_hit(hit, show_workspace=everywhere) for hit in hits)
        return ToolResult(text=found or "(nothing was said with all of these words)", details={"found": len(hits)})


def _hit(hit: SessionHit, *, show_workspace: bool) -> str:
    place = f" in {hit.workspace}" if show_workspace else ""
    head = f"[{hit.session_id}] {one_line(hit.title, 80) or '(no title)'}{place}"
    return "\n".join([head, *_lines(hit.before, " "), *_lines([hit.said], ">"), *_lines(hit.after, " ")])


def _lines(said: Iterable[Said], mark: str) -> list[str]:
    return [f"{mark} {iso_utc(one.at_ns)[:16]} {_BY[one.by]}: {visible(one.text)}" for one in said]
