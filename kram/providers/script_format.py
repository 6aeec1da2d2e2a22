"""The script of the scripted provider: what a model says, call by call. TOML, or JSON Lines with a header line first.

    version = 1                     # required
    position = "cursor"             # which step answers: see below
    end = "error"                   # when the steps are used up: error | loop | repeat (the last one, for ever)
    pace = 0.0                      # words a second; 0 is at once. A step may have its own
    model = "demo-1"                # the model name it reports

    [[steps]]                       # one step answers one model call
    thinking = "Look first."
    text = "I will read the file."
    calls = [{ name = "read_file", args = { path = "a.py" } }]
    usage = { input = 900, output = 40 }

    [[steps]]
    expect = { last_result = "def main" }    # an error that says what came instead, where it does not hold
    text = "It has a main function."

    [[steps]]
    fault = { kind = "rate_limit", retry_after_s = 1.5 }

    [[steps]]
    when = { system = "summarise" }          # out of order: answers the first call this fits, and no other
    text = "A summary."

- A step says `thinking`, `text`, `calls` in this order; `parts` (a list of one-key tables: `thinking`, `text`, `call`, each with
  an optional `pause_s`) gives any other order; `events` holds recorded stream events and is played as it is.
- A call has `args` (a table) or `raw` (text as the model wrote it, broken if you like); `open = true` never closes it.
- `fault.kind`: network, timeout, server_error, rate_limit, auth, invalid_request, context_overflow, model_missing,
  content_rejected, incomplete (the stream ends without its terminal event), hang (silence until it is cancelled).
  `fault.after` deltas come first; without it a fault comes at once, and `incomplete` after everything.
- `expect` and `when` take `contains` (anywhere in the messages), `last_user`, `last_result`, `system`, `tool` (offered),
  `no_tools`, `result_is_error`. All that are given must hold; text is compared without regard to case.
- `repeat = 3` plays a step for three calls, `repeat = 0` for ever.

`position = "cursor"` counts calls in this process. `"history"` counts the assistant's messages in the request, so that a
session that is resumed in another process goes on at the right step, and a new one starts over; faults before a step are
played once. Compaction removes messages, so long sessions want "cursor".
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, Literal

import msgspec

from kram.base import Data, Json, UsageError
from kram.messages import StreamEvent

VERSION = 1
MAX_BYTES = 32 * 1024 * 1024


class Call(Data, forbid_unknown_fields=True, omit_defaults=True):
    """A tool call; `args` and `raw` exclude each other."""

    name: str
    args: Json | None = None
    raw: str | None = None
    id: str = ""
    signature: str = ""
    open: bool = False


class Part(Data, forbid_unknown_fields=True, omit_defaults=True):
    """One piece of an answer: exactly one of `thinking`, `text`, `call`."""

    thinking: str | None = None
    text: str | None = None
    call: Call | None = None
    pause_s: float = 0.0


class Figures(Data, forbid_unknown_fields=True, omit_defaults=True):
    """Usage as the provider would report it; what is left out is not reported."""

    input: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    reasoning: int | None = None


class Fault(Data, forbid_unknown_fields=True, omit_defaults=True):
    kind: Literal[
        "network",
        "timeout",
        "server_error",
        "rate_limit",
        "auth",
        "invalid_request",
        "context_overflow",
        "model_missing",
        "content_rejected",
        "incomplete",
        "hang",
    ]
    message: str = ""
    status: int | None = None
    retry_after_s: float | None = None
    after: int | None = None


class Condition(Data, forbid_unknown_fields=True, omit_defaults=True):
    """What a request must be like; see the module docstring."""

    contains: str = ""
    last_user: str = ""
    last_result: str = ""
    system: str = ""
    tool: str = ""
    no_tools: bool = False
    result_is_error: bool | None = None


class Step(Data, forbid_unknown_fields=True, omit_defaults=True):
    thinking: str = ""
    text: str = ""
    calls: tuple[Call, ...] = ()
    parts: tuple[Part, ...] = ()
    events: tuple[StreamEvent, ...] = ()
    usage: Figures = Figures()
    stop_reason: str = ""
    refusal: str = ""
    delay_s: float = 0.0
    pace: float | None = None
    repeat: int = 1
    fault: Fault | None = None
    expect: Condition | None = None
    when: Condition | None = None

    def content(self) -> tuple[Part, ...]:
        """The parts in the order they are said."""
        if self.parts:
            return self.parts
        said = [Part(thinking=self.thinking)] if self.thinking else []
        said += [Part(text=self.text)] if self.text else []
        return (*said, *(Part(call=call) for call in self.calls))


class Script(Data, forbid_unknown_fields=True, omit_defaults=True):
    version: int
    name: str = ""
    model: str = ""
    position: Literal["cursor", "history"] = "cursor"
    end: Literal["error", "loop", "repeat"] = "error"
    pace: float = 0.0
    steps: tuple[Step, ...] = ()


def load_script(path: Path) -> Script:
    """The script in a `.toml` or `.jsonl` file. Raises `UsageError` naming the file, and the key where one is wrong."""
    try:
        size = path.stat().st_size
        text = path.read_text(encoding="utf-8") if size <= MAX_BYTES else ""
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"Cannot read the script: {error}", where=str(path)) from error
    if size > MAX_BYTES:
        raise UsageError(f"The script is larger than {MAX_BYTES} bytes", where=str(path))
    script = parse_script(text, jsonl=path.suffix == ".jsonl", where=str(path))
    return script if script.name else msgspec.structs.replace(script, name=path.stem)


def parse_script(text: str, *, jsonl: bool = False, where: str = "script") -> Script:
    """The script in a text. Raises `UsageError` as `load_script` does."""
    raw = _from_jsonl(text, where) if jsonl else _from_toml(text, where)
    if raw.get("version") != VERSION:
        raise UsageError(f"The script needs `version = {VERSION}`, not {raw.get('version')!r}", where=where)
    try:
        script = msgspec.convert(raw, Script)
    except msgspec.ValidationError as error:
        raise UsageError(_explained(str(error)), where=where) from error
    for number, step in enumerate(script.steps, 1):
        _check(step, f"{where}, step {number}")
    return script


def dump_jsonl(script: Script) -> str:
    """The script as JSON Lines: what recordings and bug reports are written as."""
    header = msgspec.structs.replace(script, steps=())
    lines = [msgspec.json.encode(header), *(msgspec.json.encode(step) for step in script.steps)]
    return b"\n".join(lines).decode() + "\n"


def _from_toml(text: str, where: str) -> Json:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"The script is not TOML: {error}", where=where) from error


def _from_jsonl(text: str, where: str) -> Json:
    rows: list[Any] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            rows.append(msgspec.json.decode(line))
        except msgspec.DecodeError as error:
            raise UsageError(f"The script is not JSON Lines: {error}", where=f"{where}, line {number}") from error
    if not rows or not isinstance(rows[0], dict):
        raise UsageError('The script needs a header line like {"version": 1} first', where=where)
    if "steps" in rows[0]:
        raise UsageError("The header line has no `steps`: each step is a line of its own", where=where)
    return {**rows[0], "steps": rows[1:]}


def _check(step: Step, where: str) -> None:
    short = bool(step.thinking or step.text or step.calls)
    if sum((short, bool(step.parts), bool(step.events))) > 1:
        raise UsageError("A step has either `text`/`thinking`/`calls`, or `parts`, or `events`", where=where)
    for part in step.parts:
        if sum(value is not None for value in (part.thinking, part.text, part.call)) != 1:
            raise UsageError("A part has exactly one of `thinking`, `text`, `call`", where=where)
    for call in (part.call for part in step.content() if part.call):
        if call.args is not None and call.raw is not None:
            raise UsageError(f"The call of `{call.name}` has both `args` and `raw`", where=where)
    if step.repeat < 0 or step.delay_s < 0 or (step.pace or 0) < 0:
        raise UsageError("`repeat`, `delay_s` and `pace` are never negative", where=where)


def _explained(problem: str) -> str:
    """The validator's sentence, with the closest known key where a key is unknown."""
    found = re.search(r"unknown field `([^`]+)`", problem)
    if found is None:
        return f"The script is not valid: {problem}"
    known = {
        field for kind in (Script, Step, Part, Call, Figures, Fault, Condition) for field in kind.__struct_fields__
    }
    import difflib

    close = difflib.get_close_matches(found.group(1), sorted(known), n=1)
    hint = f"; did you mean `{close[0]}`?" if close else ""
    return f"The script has an unknown key: {problem}{hint}"
