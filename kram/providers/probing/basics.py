"""The first probes: does it answer, does it stream, how does it want its output cap, does it hear the system text."""

from __future__ import annotations

import re

from kram.config import Model
from kram.messages import CompletionRequest, user_text

from .lab import CHAT, Lab, Reply
from .outcome import Outcome, outcome

CAP = 24
FORMAL_TOKENS = 8
"""What some servers count on top, for the end of an answer and the like."""
ABSURD_CAP = 50_000_000
COUNT = "Count from one to thirty in words, separated by commas."


READY = CompletionRequest(messages=(user_text("Answer with one word: ready"),))


async def answers(lab: Lab) -> Outcome:
    """Any answer at all; what is wrong here is wrong everywhere, so that the server's words are kept."""
    tries: tuple[tuple[str, ...], ...] = ((),)
    if lab.config.kind in CHAT:
        # What servers refuse most often of an ordinary request.
        tries = ((), ("max_completion_tokens",), ("no_stream_options",), ("max_completion_tokens", "no_stream_options"))
    reply = Reply()
    for quirks in tries:
        reply = await lab.ask(READY, quirks=quirks)
        if not reply.refused:
            text = f"{reply.completion.model or 'it'} says: {reply.text[:40]}" if reply.text else "an empty answer"
            needs = f"; needs {', '.join(quirks)}" if quirks else ""
            said = bool(reply.text or reply.thinking)
            return outcome("answer", "yes" if said else "partly", text + needs, quirks=quirks)
    return outcome("answer", "failed", reply.refusal)


async def whole_answers(lab: Lab) -> Outcome:
    """An answer that is not streamed, as summaries may be asked for."""
    reply = await lab.ask(READY, stream=False)
    if reply.refused:
        return outcome("whole answers", "no", reply.refusal)
    return outcome("whole answers", "yes" if reply.text or reply.thinking else "partly", reply.text[:60] or "empty")


async def streams(lab: Lab) -> Outcome:
    """In pieces, with a proper end, and with usage in the stream."""
    reply = await lab.ask(CompletionRequest(messages=(user_text(COUNT),)))
    if reply.refused:
        return outcome("streaming", "no", reply.refusal)
    usage = "usage reported" if reply.completion.usage_reported else "no usage reported"
    if reply.deltas < 3:
        return outcome("streaming", "partly", f"all at once, in {reply.deltas} piece(s); {usage}")
    return outcome("streaming", "yes", f"in {reply.deltas} pieces; {usage}")


async def output_cap(lab: Lab) -> Outcome:
    """Whether the field for the cap is obeyed; the other one is tried where it is not."""
    if lab.config.kind not in CHAT:
        reply = await lab.ask(CompletionRequest(messages=(user_text(COUNT),), max_tokens=CAP))
        obeyed = not reply.refused and reply.completion.stop_reason == "max_tokens"
        text = "obeyed" if obeyed else reply.refusal or _stopped(reply.completion.stop_reason)
        return outcome("output cap", "yes" if obeyed else "unknown", text)
    for field, quirk in (("max_tokens", "!max_completion_tokens"), ("max_completion_tokens", "max_completion_tokens")):
        reply = await lab.ask(
            CompletionRequest(messages=(user_text(COUNT),), max_tokens=CAP),
            facts={"max_tokens_field": field},
            quirks=(quirk,),
        )
        if not reply.refused and reply.completion.stop_reason == "max_tokens":
            # A quirk that says the opposite would win over the field.
            against = (quirk,) if quirk.startswith("!") and quirk[1:] in lab.quirks else ()
            return outcome("output cap", "yes", f"{field} is obeyed", facts={"max_tokens_field": field}, quirks=against)
        if not reply.refused and reply.completion.usage.output <= CAP + FORMAL_TOKENS:
            break
    return outcome("output cap", "unknown", reply.refusal or _stopped(reply.completion.stop_reason))


def _stopped(reason: str) -> str:
    return f"the answer ended by itself ({reason})"


async def system_text(lab: Lab) -> Outcome:
    """Whether system text is heard, and whether a second system segment gets lost."""
    request = CompletionRequest(
        system=("You are a parrot.", "Whatever the user writes, answer with exactly one word: HERON"),
        messages=(user_text("What is the capital of France?"),),
        temperature=None,
    )
    reply = await lab.ask(request)
    if reply.refused:
        return outcome("system text", "no", reply.refusal)
    if "heron" in reply.text.lower():
        return outcome("system text", "yes", "heard, every segment of it")
    return outcome("system text", "unknown", f"not followed: {reply.text[:60]}")


async def prompt_cache(lab: Lab) -> Outcome:
    """The same long beginning twice: whether the second call reports tokens from a cache."""
    long = " ".join(f"Rule {number}: keep line {number} as it is." for number in range(160))
    cached = 0
    for question in ("Answer with one word: one", "Answer with one word: two"):
        reply = await lab.ask(
            CompletionRequest(system=(long,), dynamic_boundary=1, messages=(user_text(question),), max_tokens=16)
        )
        if reply.refused:
            return outcome("prompt cache", "unknown", reply.refusal)
        cached = reply.completion.usage.cache_read
    if cached:
        return outcome("prompt cache", "yes", f"{cached} of {reply.completion.usage.input} tokens came from it")
    return outcome("prompt cache", "unknown", "none reported for the same beginning, sent twice")


async def context_length(lab: Lab) -> Outcome:
    """What the server tells beats what it says when it is asked for more than it could ever give."""
    told: Model | None = await lab.told()
    if told is not None and told.context_window:
        trained = f" (made for {told.trained_window:,})" if told.trained_window > told.context_window else ""
        facts = {"context_window": told.context_window} | ({"max_output": told.max_output} if told.max_output else {})
        return outcome(
            "context length",
            "yes",
            f"{told.context_window:,} tokens, as it tells{trained}",
            facts=facts,
        )
    reply = await lab.ask(
        CompletionRequest(messages=(user_text("Answer with one word: ready"),), max_tokens=ABSURD_CAP)
    )
    if not reply.refused:
        return outcome("context length", "unknown", "not told, and an absurd output cap is taken")
    facts = limits_in(reply.refusal)
    if not facts:
        return outcome("context length", "unknown", f"not told: {reply.refusal[:120]}")
    words = ", ".join(f"{name.replace('_', ' ')} {value:,}" for name, value in facts.items())
    return outcome("context length", "yes", f"{words}, from its own complaint", facts=dict(facts))


_NUMBER = r"([0-9][0-9,_]{2,10})"
_WINDOW = re.compile(
    r"(?:maximum context length|context (?:window|length|size)|max_model_len)[^0-9]{0,40}?" + _NUMBER, re.IGNORECASE
)
_OUTPUT = re.compile(
    r"(?:>|<=|at most|up to|maximum(?: allowed)?(?: number of)?(?: output| completion)? tokens[^0-9]{0,20})\s*"
    + _NUMBER,
    re.IGNORECASE,
)


def limits_in(complaint: str) -> dict[str, int]:
    """Numbers of a server's refusal, under the settings they are for; nothing where it is not clear."""
    found: dict[str, int] = {}
    if match := _WINDOW.search(complaint):
        found["context_window"] = _number(match[1])
    elif match := _OUTPUT.search(complaint):
        found["max_output"] = _number(match[1])
    return {name: value for name, value in found.items() if 256 <= value < ABSURD_CAP}


def _number(text: str) -> int:
    return int(re.sub(r"\D", "", text))
