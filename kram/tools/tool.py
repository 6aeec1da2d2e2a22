"""What a tool is: name, schema, access, effects, run. One tool a file in `builtin/`; pure work lives in `kram.workspace`."""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias

from kram.base import Data, Json, JsonView
from kram.messages import ImageBlock

from .context import ToolContext

Access: TypeAlias = Literal["read", "write", "execute", "network", "user", "none"]


class ToolFailed(Exception):
    """An error for the model to act on: what was wanted, what was found, what to try."""


class ToolResult(Data):
    """What a tool gives back. `text` goes to the model; `details` only to the person (diff, exit_code, path, …).

    `ends_turn` ends the turn after the result is stored, without another model call.
    """

    text: str
    is_error: bool = False
    images: tuple[ImageBlock, ...] = ()
    details: JsonView = {}
    ends_turn: bool = False


class Effects(Data):
    """What a call would touch, for the permission gate. Paths as the model wrote them; `command` is shell text.

    `subject` is what rules match and the approval names, e.g. the path or the command.
    """

    subject: str = ""
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    deletes: tuple[str, ...] = ()
    command: str = ""
    cwd: str = ""


class Tool(Protocol):
    """A tool the model can call.

    `effects` is pure and never raises on arguments that passed the schema. `preview` returns a unified diff of what `run`
    would change ("" where that has no meaning) and raises `ToolFailed` if the call can't work. `run` raises `ToolFailed` or
    returns a result; any other exception is turned into an error result at the tool runner and logged. It is cancelled when
    the person stops the turn and must leave no process behind.
    """

    @property
    def name(self) -> str: ...
    @property
    def summary(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def parameters(self) -> Json: ...
    @property
    def access(self) -> Access: ...
    @property
    def instead_of(self) -> str: ...
    @property
    def parallel(self) -> bool: ...

    def effects(self, args: JsonView) -> Effects: ...

    async def preview(self, args: JsonView, context: ToolContext) -> str: ...

    async def run(self, args: JsonView, context: ToolContext) -> ToolResult: ...
