"""How often the embedded model does what was meant: a call where one is due, words where none is.

    python3 -m tests.bench.small_model [--tries 20] [--examples FILE]

Each question is asked that many times, each time with another seed and else as shipped. Judged is the form (a call that the
argument gate accepts, or plain words), and for calls how often the expected tool was chosen; not how clever the answer is.
"""

from __future__ import annotations

import argparse
import asyncio
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from kram.config import Model
from kram.config import Provider as ProviderConfig
from kram.context import assemble, base_part, example_exchanges
from kram.messages import Accumulator, Completion, CompletionRequest, Example, TextDelta, ToolUseStarted, user_text
from kram.providers import Provider, embedded_model, open_provider
from kram.tools import Ready, ToolRegistry, builtin_tools, prepare

TALK = ("hello", "hi there", "thanks!", "who are you?", "what is a list in Python?", "good morning", "tell me a joke")
WORK = {
    "list the files": "list_dir",
    "list the files here": "list_dir",
    "show me the files in this folder": "list_dir",
    "what files are in src?": "list_dir",
    "read README.md": "read_file",
    "show me the content of main.py": "read_file",
    "run the tests": "bash",
    "run ls -la": "bash",
    "search for TODO in the code": "grep",
    "create a file hello.txt with the text hi": "write_file",
}


class Asked(msgspec.Struct):
    completion: Completion
    first_s: float


async def ask(provider: Provider, model: Model, request: CompletionRequest) -> Asked:
    accumulator, began, first_s = Accumulator(), time.monotonic(), 0.0
    async for event in provider.stream(request, model):
        accumulator.add(event)
        if not first_s and isinstance(event, TextDelta | ToolUseStarted):
            first_s = time.monotonic() - began
    return Asked(completion=accumulator.completion(), first_s=first_s)


async def measure(tries: int, examples: Sequence[Example]) -> None:
    config = ProviderConfig(name="local", kind="llama-cpp", key_optional=True)
    model = embedded_model(config)
    assert model is not None
    registry = ToolRegistry(builtin_tools())
    base = CompletionRequest(
        messages=(),
        system=assemble([base_part(compact=True)]).system,
        tools=registry.compact_specs(),
        examples=tuple(examples),
        max_tokens=60,
    )
    provider = open_provider(config)
    totals = {"talk": [0, 0], "work": [0, 0], "valid": [0, 0], "right": [0, 0]}
    try:
        for question in (*TALK, *WORK):
            calls = valid = right = 0
            shown: list[str] = []
            for seed in range(1, tries + 1):
                request = msgspec.structs.replace(base, messages=(user_text(question),), seed=seed)
                done = await ask(provider, model, request)
                found = [block for block in done.completion.content if hasattr(block, "arguments")]
                calls += bool(found)
                for block in found[:1]:
                    schema = registry.spec(block.name).parameters
                    valid += isinstance(prepare(block.name, block.arguments, schema), Ready)
                    right += block.name == WORK.get(question)
                    shown.append(f"{block.name} {block.arguments}")
                if not found:
                    shown.append("".join(getattr(block, "text", "") for block in done.completion.content)[:50])
            due = question in WORK
            totals["work" if due else "talk"][0] += calls if due else tries - calls
            totals["work" if due else "talk"][1] += tries
            totals["valid"][0] += valid
            totals["valid"][1] += calls
            if due:
                totals["right"][0] += right
                totals["right"][1] += tries
            common = max(set(shown), key=shown.count)
            print(f"{question:45} calls {calls:3}/{tries}  valid {valid:3}  right {right:3}   {common!r}", flush=True)
    finally:
        await provider.aclose()
    print(f"prompt: {done.completion.usage.input} tokens")
    for name, (hits, of) in totals.items():
        print(f"{name:6} {hits}/{of}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tries", type=int, default=20)
    parser.add_argument("--examples", type=Path)
    options = parser.parse_args()
    names = ToolRegistry(builtin_tools()).names()
    examples: Sequence[Example] = example_exchanges(names)
    if options.examples:
        examples = msgspec.convert(tomllib.loads(options.examples.read_text("utf-8"))["example"], list[Example])
    asyncio.run(measure(options.tries, examples))


if __name__ == "__main__":
    main()
