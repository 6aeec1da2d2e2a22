"""Reads calls out of a finished answer: thinking apart, then every dialect, then JSON that is the whole message."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from kram.base import Data, Json, JsonView

from .dialects import DIALECTS, Schemas
from .harmony import channels
from .shapes import Named, calls_in
from .values import NotACall, as_arguments

_THINK = re.compile(r"<think>(.*?)</think>\s*", re.DOTALL)
_FENCE = re.compile(r"```(?:json|xml|tool_call)?[ \t]*\n(?P<body>.*?)\n?[ \t]*```\s*$", re.DOTALL)
_ANY_FENCE = re.compile(r"^[ \t]*```.*?^[ \t]*```[ \t]*$", re.DOTALL | re.MULTILINE)
_INLINE = re.compile(r"(?<!`)`[^`\n]+`(?!`)")
_QUOTED = re.compile(r"^\s*to=user\b")


class TextCall(Data):
    name: str
    arguments: Json

    def raw(self) -> str:
        """The arguments as compact JSON text."""
        return json.dumps(self.arguments, ensure_ascii=False, separators=(",", ":"))


class TextCalls(Data):
    """`problem` says what looked like a call and was not run; then `calls` is empty. `text` is what is left over."""

    calls: tuple[TextCall, ...] = ()
    text: str = ""
    reasoning: str = ""
    problem: str = ""


def read_text_calls(answer: str, tools: Mapping[str, JsonView]) -> TextCalls:
    """`tools` maps the offered names to their parameter schemas. One bad call spoils all: half of a plan is not run."""
    reasoning = "\n".join(found.strip() for found in _THINK.findall(answer))
    rest = _THINK.sub("", answer)
    if _QUOTED.match(rest):
        return TextCalls(text=rest, reasoning=reasoning)
    try:
        if (split := channels(rest)) is not None:
            named = [(name, as_arguments(_json(body))) for name, body in split.calls]
            return _checked(named, tools, split.text, split.reasoning or reasoning)
        named, left = _dialects(rest, tools)
        if not named:
            named, left = _whole(rest, tools)
        return _checked(named, tools, left, reasoning)
    except NotACall as failure:
        return TextCalls(text=rest, reasoning=reasoning, problem=str(failure))


def _dialects(text: str, schemas: Schemas) -> tuple[list[Named], str]:
    """All calls in known markup, and the text around them. Raises `NotACall` for markup that holds none."""
    calls: list[Named] = []
    kept: list[str] = []
    shown = _shown(text)
    position = 0
    while True:
        found = [
            (match.start(), order, match, reader)
            for order, (pattern, reader) in enumerate(DIALECTS)
            if (match := next((m for m in pattern.finditer(text, position) if not _inside(m.start(), shown)), None))
        ]
        if not found:
            break
        _, _, match, reader = min(found, key=lambda one: one[:2])
        got, end = reader(match, text, schemas)
        calls += got
        kept.append(text[position : match.start()])
        position = max(end, match.end())
    kept.append(text[position:])
    if calls:
        kept[0] = kept[0].removeprefix("all\n")
    left = re.sub(r"```(?:xml|json)?\s*```", "", "".join(kept))
    return calls, re.sub(r"<\|?tool_calls_section_(?:begin|end)\|?>", "", left)


def _shown(text: str) -> list[tuple[int, int]]:
    """Code that is shown to a reader: inline code, and fenced blocks that have prose around them."""
    fences = [match.span() for match in _ANY_FENCE.finditer(text)]
    if len(fences) == 1 and not (text[: fences[0][0]] + text[fences[0][1] :]).strip():
        fences = []
    fenced = [span for span in fences if "<｜tool" not in text[: span[0]]]
    return fenced + [match.span() for match in _INLINE.finditer(text)]


def _inside(position: int, spans: list[tuple[int, int]]) -> bool:
    return any(start <= position < end for start, end in spans)


def _whole(text: str, tools: Mapping[str, JsonView]) -> tuple[list[Named], str]:
    """JSON that is the whole message, or its last fenced block, and names an offered tool."""
    stripped = text.strip()
    fence = _FENCE.search(stripped)
    before, body = (stripped[: fence.start()], fence["body"].strip()) if fence else ("", stripped)
    if not body.startswith(("{", "[")):
        return [], text
    try:
        named = calls_in(_json(body))
    except NotACall:
        if re.match(r'[{\[]\s*(?:\{\s*)?"(?:name|tool_calls|function)"\s*:\s*"', body):
            raise
        return [], text
    if fence and not all(name in tools for name, _ in named):
        return [], text
    return named, before


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as failure:
        raise NotACall(f"broken or cut-off JSON: {failure}") from failure


def _checked(named: list[Named], tools: Mapping[str, JsonView], text: str, reasoning: str) -> TextCalls:
    unknown = sorted({name for name, _ in named if name not in tools})
    if unknown:
        raise NotACall(f"there is no tool named {', '.join(unknown)}")
    calls = tuple(TextCall(name=name, arguments=arguments) for name, arguments in named)
    return TextCalls(calls=calls, text=text, reasoning=reasoning)
