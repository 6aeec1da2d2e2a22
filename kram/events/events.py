"""Everything the runtime says while it works: one frozen record an event.

The tag is the event's name on the wire (`stream-json`, see spec of the CLI in README). `Stamped` puts sequence,
time and turn around it. Names marked *inner* are for front ends in this process and are not printed.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from kram.base import Data, JsonView
from kram.messages import Attempt, Entry, Route, Usage


class TurnStarted(Data, tag="turn_started"):
    """*Inner.* The person's entry is stored and the turn runs."""

    entry: Entry


class TurnFinished(Data, tag="turn_finished"):
    """*Inner.* The turn ended in exactly one way."""

    result: TurnResult


class EntryAdded(Data, tag="entry_added"):
    """*Inner.* An entry was stored; said after the write, never before."""

    entry: Entry


class TextDelta(Data, tag="delta"):
    """Visible text as it streams. `entry_id` is the assistant entry it will become."""

    text: str
    entry_id: str = ""


class ReasoningDelta(Data, tag="reasoning"):
    text: str
    entry_id: str = ""


class AssistantSaid(Data, tag="assistant"):
    """One finished assistant message; `interim` where tool calls follow."""

    text: str
    model: str = ""
    interim: bool = False
    entry_id: str = ""


class ToolCallStreaming(Data, tag="tool_call_streaming"):
    """*Inner.* A call is being written by the model: its name and how many characters of its arguments have come."""

    name: str
    call_id: str
    characters: int


class ToolStarted(Data, tag="tool_start"):
    id: str
    name: str
    arguments: JsonView
    index: int = 0


class ToolProgressed(Data, tag="tool_progress"):
    """*Inner.* Live output of a running tool; `output` is new text, cleaned."""

    id: str
    output: str


class ToolFinished(Data, tag="tool_result"):
    """The result as it was stored. `text` is cut for the event only, `length` is the whole's in characters; `details` holds
    diff, exit code and kin."""

    id: str
    name: str
    ok: bool
    text: str
    duration_ms: int = 0
    truncated: bool = False
    length: int = 0
    details: JsonView = {}


class Notice(Data, tag="notice"):
    """Something the person should know."""

    text: str
    level: Literal["info", "warning", "error"] = "info"


class QuestionAsked(Data, tag="question"):
    id: str
    question: str
    options: tuple[str, ...] = ()


class ApprovalAsked(Data, tag="approval"):
    id: str
    request: ApprovalRequest


class UserPortClosed(Data, tag="user_port_closed"):
    """*Inner.* A question or approval needs no answer any more (answered, or the turn stopped)."""

    id: str


class RouteStarted(Data, tag="route_start"):
    route_id: str
    combo: str
    strategy: str
    candidates: tuple[str, ...] = ()
    purpose: str = "turn"


class RouteAttempted(Data, tag="route_attempt"):
    """An attempt as it starts, waits, fails or wins."""

    route_id: str
    attempt: Attempt


class RouteDone(Data, tag="route_done"):
    route: Route


class Retrying(Data, tag="retry"):
    """Round `round` follows after `delay_s`. `candidate`, `kind` and `http_status` tell whose failure or rest is the reason,
    as in an `Attempt`. `resumed`: the answer broke in the middle; what came stays and the rest is asked for."""

    reason: str
    delay_s: float
    round: int
    rounds: int
    route_id: str = ""
    candidate: str = ""
    kind: str = ""
    http_status: int | None = None
    resumed: bool = False


class SegmentStarted(Data, tag="segment"):
    number: int
    of: int


class ContextMeasured(Data, tag="context"):
    """What the next request holds against the window; the numbers the trigger used."""

    report: ContextReport


class Compacted(Data, tag="compaction"):
    strategy: str
    trigger: str
    messages_before: int
    messages_after: int
    tokens_before: int
    tokens_after: int


class ProcessChanged(Data, tag="process"):
    """A background process started, ended or was killed."""

    id: str
    command: str
    state: Literal["running", "exited", "killed", "failed"]
    pid: int = 0
    exit_code: int | None = None


class TodosChanged(Data, tag="todo"):
    todos: tuple[Todo, ...]


class QueueChanged(Data, tag="queue"):
    """*Inner.* What waits above the prompt."""

    items: tuple[QueuedMessage, ...]


class UsageChanged(Data, tag="usage"):
    """*Inner.* Running sums of this turn and of the session."""

    turn: Usage
    session: Usage


class ModeChanged(Data, tag="mode"):
    """*Inner.* The permission mode or the combo changed."""

    permission_mode: str
    combo: str


class SessionChanged(Data, tag="session_changed"):
    """*Inner.* Another session is open now, or this one was renamed, cleared or forked."""

    session_id: str
    title: str


# --- the records that events carry -------------------------------------------------------------------------------


class Todo(Data):
    content: str
    status: Literal["pending", "in_progress", "completed"] = "pending"


class QueuedMessage(Data):
    """A message the person sent while a turn ran: `steer` joins at the next model call, `queue` waits for the end."""

    id: str
    text: str
    mode: Literal["steer", "queue"]


class ApprovalRequest(Data):
    """What an approval dialog shows: exactly what will run, and why it is asked.

    - `summary`: one line, e.g. `bash: pytest -q`. `body`: the whole command or resolved paths, controls made visible.
    - `diff`: a unified diff where the effect is an edit. `reason`: why this asks. `parts`: parsed commands with their verdicts.
    - `rule`: the rule that "always" would store, "" where always is not offered.
    """

    tool: str
    arguments: JsonView
    summary: str
    body: str = ""
    diff: str = ""
    reason: str = ""
    parts: tuple[str, ...] = ()
    rule: str = ""


class ApprovalAnswer(Data):
    """`arguments` replaces the call's arguments where the person edited them; they are judged again.

    `by` is "policy" where no person was asked.
    """

    decision: Literal["once", "always", "deny"]
    note: str = ""
    by: Literal["person", "policy"] = "person"
    arguments: JsonView | None = None


class ContextItem(Data):
    """One row of the context panel."""

    category: str
    tokens: int
    count: int = 0


class ContextEntry(Data):
    """One item in the window, or one that was taken out of it and can be brought back.

    - `id`: an entry's id, `part:NAME` for a part of the prompt, `tool:NAME` for a tool's definition; only entries can be
      marked. `kind`: the entry's, `part` or `tool`. `category`: the row of the panel it is counted in.
    - `tokens`: what it takes in the next request; `full_tokens`: what it would take untouched.
    - `age`, `last_use`: in turns of the person, 0 being the running or latest one; `at`: nanoseconds since 1970, 0 unknown.
    - `origin`: person, a model, a tool, or the part's source. `mark`: what the person decided ("" nothing).
    - `shaped`: the stage that shortened or replaced it ("" none).
    """

    id: str
    kind: str
    label: str
    category: str
    tokens: int
    full_tokens: int
    age: int = 0
    last_use: int = 0
    at: int = 0
    origin: str = ""
    mark: Literal["", "pinned", "dropped", "shortened"] = ""
    shaped: str = ""


class ContextReport(Data):
    """Tokens by category against the window. `window` 0: unknown. `exact` False: an estimate, and `quality` says how good.

    `history` is what the session's entries may take, `target` where shaping begins. `entries` lists every item in order
    where that was asked for; the event of a model call has the categories only.
    """

    window: int
    reserve: int
    used: int
    items: tuple[ContextItem, ...]
    model: str = ""
    exact: bool = False
    quality: str = ""
    target: int = 0
    history: int = 0
    entries: tuple[ContextEntry, ...] = ()


class ToolCallSummary(Data):
    name: str
    ok: bool
    duration_ms: int = 0


class TurnResult(Data):
    """How a turn ended. `subtype`: success, error, budget, denied, interrupted."""

    subtype: Literal["success", "error", "budget", "denied", "interrupted"]
    session_id: str
    text: str = ""
    usage: Usage = Usage()
    model_calls: int = 0
    tool_calls: tuple[ToolCallSummary, ...] = ()
    compactions: int = 0
    duration_ms: int = 0
    route: tuple[Route, ...] = ()
    error: str | None = None
    exit_code: int = 0


Event: TypeAlias = (
    TurnStarted
    | TurnFinished
    | EntryAdded
    | TextDelta
    | ReasoningDelta
    | AssistantSaid
    | ToolCallStreaming
    | ToolStarted
    | ToolProgressed
    | ToolFinished
    | Notice
    | QuestionAsked
    | ApprovalAsked
    | UserPortClosed
    | RouteStarted
    | RouteAttempted
    | RouteDone
    | Retrying
    | SegmentStarted
    | ContextMeasured
    | Compacted
    | ProcessChanged
    | TodosChanged
    | QueueChanged
    | UsageChanged
    | ModeChanged
    | SessionChanged
)


class Stamped(Data):
    """An event with its place: `seq` counts from 1 in a runtime, `at` is ISO 8601 UTC, `turn` counts from 1 (0: none)."""

    seq: int
    at: str
    turn: int
    event: Event
