"""`ask_question`: asks the person and waits for the answer."""

from __future__ import annotations

from kram.base import JsonView, new_id, one_line
from kram.tools.base import BaseTool, schema, text
from kram.tools.context import ToolContext
from kram.tools.tool import Effects, ToolFailed, ToolResult

MAX_OPTIONS = 9
OPTION_CHARS = 200
SUBJECT_CHARS = 200


class AskQuestion(BaseTool):
    name = "ask_question"
    summary = "ask the person something only they can decide"
    description = (
        "Asks the person one question and waits. Offer options where you can; they may also answer in their own words. "
        "Only for what you can't find out yourself and what a wrong guess would cost."
    )
    parameters = schema(
        ("question",),
        question=text("The question, with what is needed to decide it."),
        options={
            "type": "array",
            "items": {"type": "string"},
            "maxItems": MAX_OPTIONS,
            "description": "Answers to choose from, the one you suggest first.",
        },
    )
    access = "user"

    def effects(self, args: JsonView) -> Effects:
        return Effects(subject=one_line(str(args.get("question") or ""), SUBJECT_CHARS))

    async def run(self, args: JsonView, context: ToolContext) -> ToolResult:
        question = str(args["question"]).strip()
        if not question:
            raise ToolFailed("The question is empty.")
        offered = [one_line(str(option), OPTION_CHARS) for option in args.get("options") or ()]
        options = tuple(dict.fromkeys(option for option in offered if option))
        answer = await context.user.ask(new_id(), question, options)
        if answer is None:
            raise ToolFailed("Nobody can answer here. Decide yourself, and say in your answer what you assumed.")
        if not answer.strip():
            return ToolResult(text="The person gave no answer. Decide yourself, and say what you assumed.")
        return ToolResult(text=f"The person answered: {answer}", details={"question": question, "answer": answer})
