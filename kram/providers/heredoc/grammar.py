"""The heredoc dialect as a GBNF grammar (llama.cpp's `grammars/README.md`): an answer that keeps to it is either prose or
calls of the offered tools with arguments that fit their schemas, so that even a very small model calls properly. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from kram.base import Data
from kram.messages import ToolSpec

from .rules import Rules

MAX_CALLS = 4


class Style(Data):
    """How much freedom an answer has.

    - `loose`: white space, bare keys, trailing commas and raw bodies are allowed. Without it there is one way to write each
      call, which keeps a very small model on its path.
    - `mixed`: prose may stand in front of calls. `calls`: how many of them at most.
    """

    loose: bool = True
    mixed: bool = True
    calls: int = MAX_CALLS


FREE = Style()
COMPACT = Style(loose=False, mixed=False, calls=1)


def grammar(tools: Sequence[ToolSpec], *, choice: str = "", style: Style = FREE) -> str:
    """The rules for an answer. `choice` as in `CompletionRequest.tool_choice`: none leaves only prose, required only calls,
    a tool's name only that tool. Without tools a call may have any name and any arguments."""
    offered = sorted(tools, key=lambda tool: tool.name)
    named = [tool for tool in offered if tool.name == choice]
    rules = Rules(loose=style.loose)
    if choice == "none":
        rules.add("root", "text")
    elif named or choice == "required":
        rules.add("root", _calls(rules, named or offered, style.calls))
    else:
        calls = _calls(rules, offered, style.calls)
        rules.add("root", f'( text "\\n" )? ( {calls} ) | text' if style.mixed else f"{calls} | text")
    return rules.text()


def _calls(rules: Rules, tools: Sequence[ToolSpec], at_most: int) -> str:
    """One call, and more behind it up to the bound."""
    names = [_call(rules, number, tool) for number, tool in enumerate(tools)]
    if not names:
        rules.add("call-any", '"@@call " name "\\n" object "\\n@@end\\n"')
        names.append("call-any")
    rules.add("call", " | ".join(names))
    return "call" if at_most < 2 else f"call call{{0,{at_most - 1}}}"


def _call(rules: Rules, number: int, tool: ToolSpec) -> str:
    arguments = rules.object(f"args-{number}", tool.parameters)
    return rules.add(f"call-{number}", f'"@@call {rules.quoted(tool.name)}\\n" {arguments} "\\n@@end\\n"')
