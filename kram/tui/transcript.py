"""The conversation as a list of blocks: a pure fold of stored entries and live events, without a widget or a clock of its own.

    transcript = Transcript()
    transcript.load(runtime.entries())          # what is stored
    changes = transcript.apply(stamped)         # what happens

What streams stands in a provisional tail. When the entry it becomes is stored, the entry replaces it; so a session that
was watched and one that was loaded show the same blocks. Only notices that are not stored differ.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from kram.base import Data
from kram.events import (
    EntryAdded,
    Notice,
    ReasoningDelta,
    Stamped,
    TextDelta,
    ToolCallStreaming,
    ToolFinished,
    ToolProgressed,
    ToolStarted,
    TurnFinished,
    TurnStarted,
)
from kram.messages import Entry, Kind, Part, TextBlock

from .blocks import (
    AssistantBlock,
    Block,
    CallRecord,
    CompactionBlock,
    NoticeBlock,
    ReceiptBlock,
    ToolBlock,
    call_block,
)
from .blocks import ThinkingBlock as Thought
from .stored import alike, notice_block, reused, said_blocks, user_block

_OF_A_TURN = frozenset((Kind.USER, Kind.ASSISTANT, Kind.TOOL_CALL, Kind.TOOL_RESULT))


class Change(Data):
    """From `index` on, `removed` blocks went and `added` came. 1 and 1 for the same block: it changed."""

    index: int
    removed: int
    added: int


class _Turn:
    """What the receipt of the running turn will say; computed from entries alone."""

    def __init__(self) -> None:
        self.calls: list[CallRecord] = []
        self.tools = 0
        self.began_ns = 0
        self.ended_ns = 0


class Transcript:
    """`blocks` is the conversation in order. Every method that changes it says how, in order; the index of a later change
    is valid after the earlier ones. `monotonic` gives seconds for the time of running tools."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self.blocks: list[Block] = []
        self.clear()

    def clear(self) -> list[Change]:
        """Shows nothing."""
        count = len(self.blocks)
        self.blocks = []
        self._tail = 0
        self._seen: set[str] = set()
        self._calls: dict[str, ToolBlock] = {}
        self._turn = _Turn()
        self._led = False
        self._blank = ""
        self._made = 0
        self._changes: list[Change] = []
        return [Change(index=0, removed=count, added=0)]

    @property
    def live(self) -> bool:
        """Whether something streams or runs."""
        return self._tail > 0 or any(block.running for block in self._calls.values())

    def load(self, entries: Sequence[Entry]) -> list[Change]:
        """Shows stored entries instead of what was there. Calls without a result are shown as of unknown outcome."""
        changes = self.clear()
        compactions = [entry for entry in entries if entry.kind == Kind.COMPACTION]
        for entry in entries:
            if entry.kind != Kind.COMPACTION:
                self._entry(entry)
        self._close_turn()
        for entry in compactions:
            self._entry(entry)
        for block in self._calls.values():
            block.lost()
        self._calls.clear()
        self._changes = []
        return [*changes, Change(index=0, removed=0, added=len(self.blocks))]

    def apply(self, stamped: Stamped) -> list[Change]:
        """Folds one event in. Events that a transcript does not show change nothing."""
        event = stamped.event
        match event:
            case EntryAdded() | TurnStarted():
                self._entry(event.entry)
            case TextDelta():
                self._said(event.text)
            case ReasoningDelta():
                self._thought(event.text)
            case ToolCallStreaming():
                self._writing(event)
            case ToolStarted():
                self._touch(event.id, lambda block: block.begin(self._monotonic()))
            case ToolProgressed():
                self._touch(event.id, lambda block: block.progress(event.output))
            case ToolFinished():
                self._finished(event)
            case Notice():
                self._put(NoticeBlock(self._key("notice"), event.text, level=event.level, at_ns=self._newest_ns()))
            case TurnFinished():
                self._drop_tail()
                self._close_turn()
            case _:
                pass
        changes, self._changes = self._changes, []
        return changes

    # --- entries ------------------------------------------------------------------------------------------------

    def _entry(self, entry: Entry) -> None:
        if entry.id in self._seen:
            return
        self._seen.add(entry.id)
        if entry.kind == Kind.USER:
            self._user(entry)
        elif entry.kind == Kind.ASSISTANT:
            self._answer(entry)
        elif entry.kind == Kind.TOOL_CALL:
            self._call(entry)
        elif entry.kind == Kind.TOOL_RESULT:
            self._result(entry)
        elif entry.kind == Kind.COMPACTION:
            self._compaction(entry)
        else:
            self._put(notice_block(entry))
        if entry.kind in _OF_A_TURN:
            self._turn.ended_ns = entry.created_at

    def _user(self, entry: Entry) -> None:
        steered = bool(entry.details.get("steer"))
        if not steered:
            self._drop_tail()
            self._close_turn()
            self._turn.began_ns = entry.created_at
            self._led = False
        self._put(user_block(entry, steered=steered))

    def _answer(self, entry: Entry) -> None:
        self._count(entry)
        blocks = self._parts(entry, entry.parts or (TextBlock(text=entry.content),))
        self._replace_tail(blocks)

    def _call(self, entry: Entry) -> None:
        self._count(entry)
        self._turn.tools += 1
        call = call_block(entry.tool_call_id or entry.id, entry.tool_name, entry.content, at_ns=entry.created_at)
        self._calls[entry.tool_call_id] = call
        self._replace_tail([*self._parts(entry, entry.parts), call])

    def _count(self, entry: Entry) -> None:
        route = entry.details.get("route")
        if entry.usage is not None or route:
            route = route if isinstance(route, dict) else None
            self._turn.calls.append(CallRecord(model=entry.model, usage=entry.usage, route=route))

    def _parts(self, entry: Entry, parts: Sequence[Part]) -> list[Block]:
        blocks = said_blocks(entry, parts, led=self._led)
        self._led = self._led or any(isinstance(block, AssistantBlock) for block in blocks)
        return blocks

    def _result(self, entry: Entry) -> None:
        block = self._calls.pop(entry.tool_call_id, None)
        if block is None:
            block = call_block(entry.tool_call_id or entry.id, entry.tool_name, at_ns=entry.created_at)
            self._put(block)
        block.result(entry.content, is_error=entry.is_error, status=entry.status, details=entry.details)
        self._changed(block)

    def _compaction(self, entry: Entry) -> None:
        """Stands behind the newest of what it folded: its time says where."""
        end = len(self.blocks) - self._tail
        at = end
        while at and self.blocks[at - 1].at_ns > entry.created_at:
            at -= 1
        self._splice(at, 0, [CompactionBlock(entry.id, entry.content, entry.details, at_ns=entry.created_at)])

    def _close_turn(self) -> None:
        """The receipt stands behind the last thing of the turn, before notices that came later."""
        turn, self._turn = self._turn, _Turn()
        if not turn.calls:
            return
        took_ms = (turn.ended_ns - turn.began_ns) / 1e6 if turn.began_ns else 0
        at = len(self.blocks) - self._tail
        while at and isinstance(self.blocks[at - 1], NoticeBlock):
            at -= 1
        key = self._key("receipt")
        receipt = ReceiptBlock(key, turn.calls, tools=turn.tools, took_ms=took_ms, at_ns=turn.ended_ns)
        self._splice(at, 0, [receipt])

    # --- what streams -------------------------------------------------------------------------------------------

    def _said(self, text: str) -> None:
        last = self._last_live()
        text = self._blank + text
        self._blank = ""
        if isinstance(last, AssistantBlock):
            last.feed(text)
            self._changed(last)
        elif not text.strip():
            self._blank = text
        else:
            led = self._led or any(isinstance(block, AssistantBlock) for block in self._live_blocks())
            said = AssistantBlock(self._key("live"), lead=not led, streaming=True)
            said.feed(text)
            self._live(said)

    def _thought(self, text: str) -> None:
        last = self._last_live()
        if isinstance(last, Thought):
            last.feed(text)
            self._changed(last)
        else:
            self._live(Thought(self._key("live"), text, streaming=True))

    def _writing(self, event: ToolCallStreaming) -> None:
        for block in self._live_blocks():
            if isinstance(block, ToolBlock) and block.key == event.call_id:
                block.write(event.characters)
                self._changed(block)
                return
        block = ToolBlock(event.call_id, event.name, state="writing")
        block.write(event.characters)
        self._live(block)

    def _touch(self, call_id: str, change: Callable[[ToolBlock], None]) -> None:
        block = self._calls.get(call_id)
        if block is not None:
            change(block)
            self._changed(block)

    def _finished(self, event: ToolFinished) -> None:
        """The stored result came before; without one (another writer's call) the event has to do."""
        block = self._calls.pop(event.id, None)
        if block is not None:
            block.result(event.text, is_error=not event.ok, status="", details=event.details)
            self._changed(block)

    def _live_blocks(self) -> list[Block]:
        return self.blocks[len(self.blocks) - self._tail :]

    def _last_live(self) -> Block | None:
        return self.blocks[-1] if self._tail else None

    def _live(self, block: Block) -> None:
        self._blank = ""
        self._splice(len(self.blocks), 0, [block])
        self._tail += 1

    def _drop_tail(self) -> None:
        self._blank = ""
        if self._tail:
            tail, self._tail = self._tail, 0
            self._splice(len(self.blocks) - tail, tail, [])

    def _replace_tail(self, stored: list[Block]) -> None:
        """The stored blocks instead of what streamed. A block that streamed the very same text stays, with what was laid
        out of it and whether it is open. What the stored ones do not cover yet stays behind them."""
        self._blank = ""
        start = len(self.blocks) - self._tail
        live = self._live_blocks()
        kept: list[Block] = []
        for block in stored:
            at = next((at for at, one in enumerate(live) if alike(one, block)), -1)
            kept.append(reused(live[at], block) if at >= 0 else block)
            live = live[at + 1 :]
        self._splice(start, self._tail, [*kept, *live])
        self._tail = len(live)

    # --- the list -----------------------------------------------------------------------------------------------

    def _put(self, block: Block) -> None:
        """Adds a block before the provisional tail."""
        self._splice(len(self.blocks) - self._tail, 0, [block])

    def _splice(self, index: int, removed: int, added: list[Block]) -> None:
        self.blocks[index : index + removed] = added
        self._changes.append(Change(index=index, removed=removed, added=len(added)))

    def _changed(self, block: Block) -> None:
        # What changes is near the end: the tail, or a call of the last answer.
        for index in range(len(self.blocks) - 1, -1, -1):
            if self.blocks[index] is block:
                self._changes.append(Change(index=index, removed=1, added=1))
                return

    def _key(self, what: str) -> str:
        self._made += 1
        return f"{what}:{self._made}"

    def _newest_ns(self) -> int:
        return self.blocks[-1].at_ns if self.blocks else 0
