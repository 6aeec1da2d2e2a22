"""`read_file`: a text file with line numbers, a stretch at a time; pictures as pictures."""

from __future__ import annotations

import base64

from kram.base import JsonView
from kram.messages import ImageBlock
from kram.tools.base import BaseTool, number, schema, text
from kram.tools.context import ToolContext
from kram.tools.tool import Effects, ToolFailed, ToolResult
from kram.workspace import FileProblem

MAX_BYTES = 100_000
MAX_LINE_CHARS = 2_000
IMAGES = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif", b"RIFF": "image/webp"}
MAX_IMAGE_BYTES = 4_000_000


class ReadFile(BaseTool):
    name = "read_file"
    summary = "read a text file with line numbers, or an image"
    description = (
        "Reads a file of the project. Lines come numbered as `number<tab>text`; the number is not part of the file. "
        "Long files come in stretches: use offset and limit to read on."
    )
    parameters = schema(
        ("path",),
        path=text("File path, relative to the project or absolute."),
        offset=number("First line to read, from 1.", minimum=1),
        limit=number("How many lines at most.", minimum=1),
    )
    parallel = True
    instead_of = "bash cat"

    def effects(self, args: JsonView) -> Effects:
        return Effects(subject=str(args["path"]), reads=(str(args["path"]),))

    async def run(self, args: JsonView, context: ToolContext) -> ToolResult:
        workspace = context.workspace
        target = workspace.resolve(str(args["path"]), "read")
        shown = workspace.relative(target.real)
        try:
            if image := self._image(workspace.read_bytes(target, MAX_IMAGE_BYTES + 1)):
                return ToolResult(text=f"The image {shown}.", images=(image,), details={"path": shown})
            file = workspace.read_text(target)
        except FileProblem as failure:
            raise ToolFailed(str(failure)) from failure
        context.ledger.note(target.real, file.hash)
        return ToolResult(text=self._stretch(file.text, args), details={"path": shown})

    @staticmethod
    def _image(data: bytes) -> ImageBlock | None:
        kind = next((kind for start, kind in IMAGES.items() if data.startswith(start)), "")
        if not kind:
            return None
        if len(data) > MAX_IMAGE_BYTES:
            raise ToolFailed(f"The image is larger than {MAX_IMAGE_BYTES} bytes.")
        return ImageBlock(media_type=kind, data=base64.b64encode(data).decode())

    @staticmethod
    def _stretch(content: str, args: JsonView) -> str:
        lines = content.splitlines()
        if not lines:
            return "(the file is empty)"
        first = int(args.get("offset", 1))
        if first > len(lines):
            raise ToolFailed(f"The file has {len(lines)} lines; offset {first} is behind its end.")
        last = min(len(lines), first - 1 + int(args.get("limit", len(lines))))
        rows: list[str] = []
        size = 0
        for number_, line in enumerate(lines[first - 1 : last], start=first):
            cut = (
                line
                if len(line) <= MAX_LINE_CHARS
                else f"{line[:MAX_LINE_CHARS]} […{len(line) - MAX_LINE_CHARS} more characters]"
            )
            row = f"{number_}\t{cut}"
            size += len(row.encode("utf-8", "replace")) + 1
            if size > MAX_BYTES and rows:
                last = number_ - 1
                break
            rows.append(row)
        if last < len(lines):
            rows.append(f"[lines {first} to {last} of {len(lines)}; read on with offset={last + 1}]")
        return "\n".join(rows)
