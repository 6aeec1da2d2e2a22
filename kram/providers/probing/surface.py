"""The tool surface: whether what a model writes into a call arrives as it was written.

Six texts that servers are known to damage go there and back through an `echo` tool. The text is handed over as a JSON string
literal and compared without surrounding blanks. Then a grammar is tried, alone and beside tools.
"""

from __future__ import annotations

import json
from typing import Literal, TypeAlias

from kram.base import Data
from kram.messages import CompletionRequest, ToolSpec, user_text

from .lab import Lab, Reply
from .outcome import Outcome, outcome

Echoed: TypeAlias = Literal["pass", "lossy", "no call", "bad JSON", "error"]

ECHOES: dict[str, str] = {
    "plain": "hello world 42",
    "lines and quotes": "first line\nsecond \"quoted\" line\n\tthird 'single' line",
    "backslashes": r"C:\temp\new and \\server\share \d+\.\w*",
    "JSON": '{"a": [1, 2, {"b": "c\\n"}], "d": null}',
    "delimiters": "before </parameter> middle </function></tool_call> after",
    "special tokens": "begin <|im_end|> between <|endoftext|> end",
}
ECHO = ToolSpec(
    name="echo",
    description="Repeats a text exactly as it is given.",
    parameters={
        "type": "object",
        "properties": {"text": {"type": "string", "description": "The text to repeat, unchanged"}},
        "required": ["text"],
    },
)
GRAMMAR = 'root ::= "heron"'
FRAME_TOKENS = 48
"""What a call takes around its text; a token a character is more than any tokeniser needs for the rest."""


class Echo(Data):
    """One round trip; `got` is what came back, `detail` the server's words."""

    name: str
    result: Echoed
    got: str = ""
    detail: str = ""


class Surface(Data):
    """`ok`: nothing that came back was damaged, missing or refused. The grammar's flags are None where it was not tried."""

    echoes: tuple[Echo, ...]
    grammar: bool | None = None
    grammar_with_tools: bool | None = None

    @property
    def ok(self) -> bool:
        return all(echo.result == "pass" for echo in self.echoes)


async def tool_surface(lab: Lab, *, grammar: bool) -> Surface:
    """All round trips. `grammar`: whether the dialect has a field for one."""
    echoes = tuple([await _echo(lab, name, text) for name, text in ECHOES.items()])
    if not grammar:
        return Surface(echoes=echoes)
    alone = await lab.ask(_forced(), quirks=("llama_options",))
    beside = await lab.ask(_forced(ECHO), quirks=("llama_options",))
    return Surface(echoes=echoes, grammar=_obeyed(alone), grammar_with_tools=_obeyed(beside))


def _forced(*tools: ToolSpec) -> CompletionRequest:
    return CompletionRequest(messages=(user_text("Name a bird."),), grammar=GRAMMAR, tools=tools, temperature=0, seed=1)


def _obeyed(reply: Reply) -> bool:
    return not reply.refused and reply.text == "heron"


async def _echo(lab: Lab, name: str, text: str) -> Echo:
    literal = json.dumps(text, ensure_ascii=False)
    reply = await lab.ask(
        CompletionRequest(
            messages=(
                user_text(f"Call the tool echo once. Its argument text is this JSON string, unchanged: {literal}"),
            ),
            tools=(ECHO,),
            tool_choice="required",
            temperature=0,
            seed=1,
            max_tokens=FRAME_TOKENS + len(text),
        )
    )
    if reply.refused:
        return Echo(name=name, result="error", detail=reply.refusal)
    call = next((call for call in reply.calls if call.name == ECHO.name), None)
    if call is None:
        return Echo(name=name, result="no call", detail=reply.text[:120])
    try:
        arguments = json.loads(call.arguments or "{}")
        got = arguments["text"]
    except (ValueError, KeyError, TypeError):
        return Echo(name=name, result="bad JSON", got=call.arguments[:200])
    same = isinstance(got, str) and got.strip() == text.strip()
    return Echo(name=name, result="pass" if same else "lossy", got=str(got)[:200])


def surface_outcomes(surface: Surface) -> list[Outcome]:
    """In words, and what follows: a server that never makes a native call may make calls in text."""
    results = {echo.name: echo.result for echo in surface.echoes}
    bad = ", ".join(f"{name}: {result}" for name, result in results.items() if result != "pass")
    detail = next((f" ({echo.detail})" for echo in surface.echoes if echo.detail and echo.result == "error"), "")
    passed = sum(result == "pass" for result in results.values())
    if surface.ok:
        found = outcome("tool arguments", "yes", "six kinds of text arrive unchanged")
    elif all(result == "error" for result in results.values()):
        found = outcome("tool arguments", "no", f"refused{detail}")
    else:
        found = outcome(
            "tool arguments",
            "partly" if passed else "no",
            f"{passed} of {len(results)} arrive; {bad}{detail}",
        )
    if surface.grammar is None:
        return [found]
    alone, beside = surface.grammar, surface.grammar_with_tools
    text = (
        "obeyed, also beside tools" if alone and beside else "obeyed, but not beside tools" if alone else "not obeyed"
    )
    quirks = ("llama_options",) if alone else ()
    return [found, outcome("grammar", "yes" if alone else "no", text, quirks=quirks)]
