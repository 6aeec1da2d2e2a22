"""JSON on demand, pictures, thinking and its replay."""

from __future__ import annotations

import base64
import json
import struct
import zlib

import msgspec

from kram.messages import CompletionRequest, ImageBlock, Message, TextBlock, ThinkingBlock, user_text

from .lab import CHAT, Lab, Reply
from .outcome import Outcome, outcome

SCHEMA = {
    "type": "object",
    "properties": {"bird": {"type": "string"}, "legs": {"type": "integer"}},
    "required": ["bird", "legs"],
    "additionalProperties": False,
}
THINKING_TOKENS = 1_400


async def json_format(lab: Lab) -> Outcome:
    """An answer held to a schema."""
    request = CompletionRequest(
        messages=(user_text("Describe a heron: its name and how many legs it has."),),
        response_format=SCHEMA,
        temperature=0,
    )
    reply = await lab.ask(request)
    if reply.refused:
        return outcome("JSON answers", "no", reply.refusal)
    try:
        value = json.loads(reply.text)
    except ValueError:
        return outcome("JSON answers", "no", f"taken and ignored: {reply.text[:60]}")
    fits = isinstance(value, dict) and set(value) == {"bird", "legs"} and isinstance(value["legs"], int)
    return outcome("JSON answers", "yes" if fits else "partly", reply.text.replace("\n", " ")[:80])


async def images(lab: Lab) -> Outcome:
    """A red square. A model that takes it and does not see it cannot be told from one that is colour-blind."""
    picture = ImageBlock(media_type="image/png", data=base64.b64encode(red_square()).decode())
    ask = TextBlock(text="Which colour is this square? Answer with one word.")
    reply = await lab.ask(CompletionRequest(messages=(Message(role="user", content=(picture, ask)),)))
    if reply.refused:
        return outcome("images", "no", reply.refusal, facts={"images": False})
    if "red" in reply.text.lower():
        return outcome("images", "yes", "it sees a red square as red", facts={"images": True})
    return outcome("images", "unknown", f"taken, but it says: {reply.text[:60]}")


async def thinking(lab: Lab) -> Outcome:
    """Whether it thinks when asked to, and whether its thoughts may go back with the next request."""
    ask = user_text("A farmer has 17 sheep and all but 9 run away. How many are left? Answer with the number.")
    wanted = CompletionRequest(messages=(ask,), thinking="enabled", reasoning_budget=1_024, max_tokens=THINKING_TOKENS)
    reply = await lab.ask(wanted)
    if reply.refused:
        reply = await lab.ask(msgspec.structs.replace(wanted, thinking="", reasoning_budget=0))
        if reply.refused:
            return outcome("thinking", "no", reply.refusal)
        if not reply.thinking:
            return await _replayed(lab, reply, "cannot be switched on", ("no_thinking_field",))
    said = "thinks" if reply.thinking else "does not think"
    return await _replayed(lab, reply, said, ())


async def _replayed(lab: Lab, reply: Reply, said: str, quirks: tuple[str, ...]) -> Outcome:
    """What it thought goes back; where it thought nothing, plain words in its place show whether the field is taken."""
    thought = bool(reply.thinking)
    own = tuple(block for block in reply.completion.content if isinstance(block, TextBlock | ThinkingBlock))
    if not thought and lab.config.kind not in CHAT:
        return outcome("thinking", "no", said, quirks=quirks)
    answered = own if thought else (ThinkingBlock(thinking="All but nine run away."), *own)
    request = CompletionRequest(
        messages=(
            user_text("How many sheep are left?"),
            Message(role="assistant", content=answered or (TextBlock(text="9"),)),
            user_text("Answer with one word: thanks"),
        ),
        thinking="enabled" if thought else "",
        reasoning_budget=1_024 if thought else 0,
        max_tokens=THINKING_TOKENS,
    )
    back = await lab.ask(request, quirks=quirks)
    if not back.refused:
        return outcome("thinking", "yes" if thought else "no", f"{said}; its replay is taken", quirks=quirks)
    without = (*quirks, "no_reasoning_replay")
    if lab.config.kind in CHAT and not (await lab.ask(request, quirks=without)).refused:
        return outcome("thinking", "yes" if thought else "no", f"{said}; its replay is refused", quirks=without)
    return outcome("thinking", "partly", f"{said}; a second request is refused: {back.refusal}", quirks=quirks)


def red_square(size: int = 48) -> bytes:
    """A PNG."""
    row = b"\x00" + b"\xe0\x10\x10" * size

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(row * size)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body
