"""`memory_write`: keeps, changes and removes facts for later sessions."""

from __future__ import annotations

from kram.base import JsonView, UsageError
from kram.messages import Fact
from kram.tools.base import BaseTool, flag, schema, text
from kram.tools.context import Recall, ToolContext
from kram.tools.fact_text import fact_line, used_chars
from kram.tools.tool import Effects, ToolFailed, ToolResult

MAX_CHARS = 2_400


class MemoryWrite(BaseTool):
    name = "memory_write"
    summary = "keep a durable fact for later sessions"
    description = (
        "Keeps facts that will still matter in later sessions: decisions, conventions, commands that work, what the person "
        "prefers. Not what the code or its documents say themselves, not the state of this task, never a secret. One short "
        "sentence a fact. It reaches the prompt with the person's next message. When the memory is full the error lists what "
        "is there: join or remove, then try again."
    )
    parameters = schema(
        ("operation",),
        operation=text("What to do.", enum=["add", "replace", "remove"]),
        id=text("Which fact to replace or remove, as in memory_search and in the prompt: m3."),
        content=text("The fact, for add and replace."),
        scope=text("This project (the default), or global: all projects of this person.", enum=["project", "global"]),
        pinned=flag("Always in the prompt; for the few facts that must never be missed."),
    )
    access = "none"

    def effects(self, args: JsonView) -> Effects:
        return Effects(subject=str(args.get("content") or args.get("id") or ""))

    async def run(self, args: JsonView, context: ToolContext) -> ToolResult:
        try:
            fact, done = _do(args, context.recall)
        except UsageError as failure:
            raise ToolFailed(str(failure)) from failure
        used = used_chars(context.recall.facts(), fact.scope)
        return ToolResult(
            text=f"{done} {fact_line(fact)}\nThe {fact.scope} memory holds {used} of {MAX_CHARS} characters.",
            details={"id": fact.id, "scope": fact.scope, "used": used},
        )


def _do(args: JsonView, recall: Recall) -> tuple[Fact, str]:
    content = str(args["content"]) if args.get("content") else None
    fact_id = str(args.get("id") or "")
    everywhere = {"project": False, "global": True}.get(str(args.get("scope") or ""))
    pinned = None if args.get("pinned") is None else bool(args["pinned"])
    if args["operation"] == "add":
        if content is None:
            raise ToolFailed("add needs `content`: the fact in one sentence.")
        return recall.add_fact(content, everywhere=bool(everywhere), pinned=bool(pinned)), "Kept:"
    if not fact_id:
        raise ToolFailed(f"{args['operation']} needs `id`; memory_search shows the ids.")
    if args["operation"] == "remove":
        return recall.remove_fact(fact_id), "Removed:"
    if content is None and everywhere is None and pinned is None:
        raise ToolFailed("replace needs `content`, `scope` or `pinned`: what is to be different.")
    return recall.change_fact(fact_id, content=content, everywhere=everywhere, pinned=pinned), "Now:"
