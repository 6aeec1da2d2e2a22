"""`edit_file`: replaces passages of a file, several at once or none."""

from __future__ import annotations

from kram.base import JsonView, Target, content_hash
from kram.tools.base import BaseTool, flag, schema, text
from kram.tools.context import ToolContext
from kram.tools.tool import Effects, ToolFailed, ToolResult
from kram.workspace import Edit, Edited, EditRefused, FileProblem, TextFile, apply_edits, counts, unified

_ONE = {
    "old_string": text("The text to replace, exactly as it is in the file, without line numbers. Must be unique."),
    "new_string": text("The text that takes its place."),
    "replace_all": flag("Replace every occurrence."),
}


class EditFile(BaseTool):
    name = "edit_file"
    summary = "replace passages of a file; several edits at once"
    description = (
        "Replaces text in a file. Give old_string and new_string, or several of them in edits, which apply in order and "
        "all or none. old_string must be unique unless replace_all is set: include enough lines around it. "
        "An empty old_string makes a new file."
    )
    parameters = schema(
        ("path",),
        path=text("File path, relative to the project."),
        **_ONE,
        edits={
            "type": "array",
            "description": "Several edits instead of one.",
            "items": {"type": "object", "properties": _ONE, "required": ["old_string", "new_string"]},
        },
    )
    access = "write"
    instead_of = "bash sed"

    def effects(self, args: JsonView) -> Effects:
        return Effects(subject=str(args["path"]), writes=(str(args["path"]),))

    async def preview(self, args: JsonView, context: ToolContext) -> str:
        target, before, edited = self._edited(args, context)
        return unified(before.text if before else "", edited.text, context.workspace.relative(target.real))

    async def run(self, args: JsonView, context: ToolContext) -> ToolResult:
        target, before, edited = self._edited(args, context)
        shown = context.workspace.relative(target.real)
        try:
            data = context.workspace.write_text(target, edited.text, before)
        except FileProblem as failure:
            raise ToolFailed(str(failure)) from failure
        context.ledger.note(target.real, content_hash(data))
        diff = unified(before.text if before else "", edited.text, shown)
        added, removed = counts(diff)
        places = "one place" if edited.count == 1 else f"{edited.count} places"
        note = "".join(f" (found despite {stage})" for stage in edited.stages if stage != "exact")
        return ToolResult(
            text=f"Edited {shown} in {places}{note}: +{added} −{removed} lines.\n{diff}"[:6_000],
            details={"path": shown, "diff": diff, "added": added, "removed": removed},
        )

    @staticmethod
    def _edited(args: JsonView, context: ToolContext) -> tuple[Target, TextFile | None, Edited]:
        target = context.workspace.resolve(str(args["path"]), "write")
        edits = _edits(args)
        if target.kind == "missing" and len(edits) == 1 and not edits[0].old:
            return target, None, Edited(text=edits[0].new, count=1, stages=("exact",))
        try:
            before = context.workspace.read_text(target)
            if context.ledger.state(target.real, before.hash).changed:
                raise ToolFailed(
                    f"{context.workspace.relative(target.real)} has changed since you read it. Read it again first."
                )
            return target, before, apply_edits(before.text, edits)
        except (FileProblem, EditRefused) as failure:
            raise ToolFailed(str(failure)) from failure


def _edits(args: JsonView) -> list[Edit]:
    wanted = args.get("edits") or []
    if "old_string" in args or "new_string" in args:
        if wanted:
            raise ToolFailed("Give either old_string and new_string, or edits, not both.")
        wanted = [args]
    if not wanted:
        raise ToolFailed("No edit was given: old_string and new_string, or edits.")
    missing = [name for name in ("old_string", "new_string") if any(name not in one for one in wanted)]
    if missing:
        raise ToolFailed(f"Missing {' and '.join(missing)}.")
    return [Edit(old=one["old_string"], new=one["new_string"], all=bool(one.get("replace_all"))) for one in wanted]
