"""The one object each front end holds: a session in a workspace, with everything a turn needs behind it.

    runtime = await Runtime.open(Path("."), user=port)
    runtime.subscribe(print)
    result = await runtime.send("…")
    await runtime.close()

All methods belong to one event loop. Nothing here draws or prints.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from kram.agent import Bench, Record, Tally, Turn, compact, measure, next_request, run_single
from kram.base import Clock, Json, JsonView, SystemClock, UsageError
from kram.config import Combo
from kram.events import (
    ApprovalAnswer,
    ContextReport,
    Event,
    ModeChanged,
    Notice,
    QueuedMessage,
    SessionChanged,
    Stamped,
    Todo,
    TurnResult,
    UserPort,
)
from kram.gateway import Scoreboard, scoreboard
from kram.messages import Entry, ImageBlock, Route, Usage, from_json, to_plain
from kram.permissions import Mode
from kram.sessions import DecisionRecord, SessionInfo, restore
from kram.workspace import Processes, Workspace

from .choices import ModelChoice, ToolInfo, model_choices, tool_infos
from .commands import Command, session_commands
from .options import Options
from .waiting_user import WaitingUser
from .wiring import House, build


class Runtime:
    """Opened with `open`, closed with `close`. One turn runs at a time; `busy` says whether one does."""

    def __init__(self, house: House, waiting: WaitingUser) -> None:
        self._house = house
        self._waiting = waiting
        self._turn: asyncio.Task[TurnResult] | None = None
        self._session_usage = Usage()
        self._said_small = False
        self._closed = False
        self.commands: dict[str, Command] = session_commands()

    @classmethod
    async def open(
        cls,
        workspace: Path,
        options: Options | None = None,
        *,
        user: UserPort | None = None,
        clock: Clock | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Runtime:
        """Loads configuration, finds what can answer, opens the store and the session.

        Without `user` requests to the person wait for `approve` and `answer`. Raises `UsageError` for wrong options or
        configuration and `StoreError` where the session cannot be opened.
        """
        waiting = WaitingUser()
        house = await build(
            workspace, options or Options(), user=user or waiting, clock=clock or SystemClock(), env=env
        )
        runtime = cls(house, waiting)
        runtime._enter_session()
        return runtime

    @property
    def used(self) -> bool:
        """Whether anything was said in this session."""
        return bool(self._bench.record.entries)

    # --- a turn -------------------------------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        return self._turn is not None

    async def send(self, text: str, images: Sequence[ImageBlock] = ()) -> TurnResult:
        """Runs a turn, then one more for what was queued meanwhile, and returns the result of the last.

        Never raises for a failed turn. Raises `UsageError` while another turn runs.
        """
        if self.busy:
            raise UsageError("A turn is running", todo="Use steer or queue")
        result = await self._one_turn([text], images)
        while result.subtype == "success" and (waiting := self._house.inbox.clear()):
            result = await self._one_turn([item.text for item in waiting], ())
        return result

    async def _one_turn(self, messages: Sequence[str], images: Sequence[ImageBlock]) -> TurnResult:
        house = self._house
        house.bus.turn += 1
        turn = Turn(house.bench, messages, images, self._session_usage)
        async with asyncio.TaskGroup() as group:
            self._turn = group.create_task(turn.run())
            try:
                await asyncio.wait([self._turn])
            finally:
                task, self._turn = self._turn, None
                task.cancel()
        result = turn.interrupted_result() if task.cancelled() else task.result()
        self._session_usage = self._session_usage + result.usage
        self._be_honest(result)
        return result

    def _be_honest(self, result: TurnResult) -> None:
        """Once a session, what a model of that size can and cannot do."""
        model = self._house.roster.model(result.route[-1].winner) if result.route else None
        if model is not None and model.compact and model.size and not self._said_small:
            self._said_small = True
            text = f"{model.name} has {model.size} parameters: it shows how kram works, but it cannot program."
            self.emit(Notice(text=f"{text} A key or a local server brings a real model; `kram models` says how."))

    def label(self, candidate: str) -> str:
        """A model's name with its size, where that is known."""
        model = self._house.roster.model(candidate)
        return f"{candidate} ({model.size})" if model is not None and model.size else candidate

    def interrupt(self) -> bool:
        """Stops the running turn; what was done stays. False when none runs."""
        if self._turn is None:
            return False
        return self._turn.cancel()

    def steer(self, text: str) -> QueuedMessage:
        """The message joins at the next model call of the running turn."""
        return self._house.inbox.put(text, "steer")

    def queue(self, text: str) -> QueuedMessage:
        """The message is sent when the running turn is over."""
        return self._house.inbox.put(text, "queue")

    def queued(self) -> tuple[QueuedMessage, ...]:
        return self._house.inbox.items()

    def unqueue(self, item_id: str) -> str:
        """Takes a waiting message back; its text, "" if it has gone out already."""
        return self._house.inbox.take_back(item_id)

    def approve(self, request_id: str, answer: ApprovalAnswer) -> None:
        """Answers an approval by id. Raises `UsageError` when none waits under it."""
        self._waiting.give_approval(request_id, answer)

    def answer(self, question_id: str, text: str | None) -> None:
        """Answers a question by id. Raises `UsageError` when none waits under it."""
        self._waiting.give_answer(question_id, text)

    # --- what is said -------------------------------------------------------------------------------------------

    def subscribe(self, subscriber: Callable[[Stamped], None]) -> Callable[[], None]:
        """Every event from now on; returns the function that ends it."""
        return self._house.bus.subscribe(subscriber)

    def emit(self, event: Event) -> None:
        """For a front end's own notices, so that they stand in the same order as everything else."""
        self._house.bus.emit(event)

    # --- the session --------------------------------------------------------------------------------------------

    @property
    def session(self) -> SessionInfo:
        return self._house.session

    @property
    def workspace(self) -> Workspace:
        return self._house.workspace

    def entries(self) -> list[Entry]:
        """The whole session in order, folded parts included: what a transcript shows."""
        return self._house.store.entries(self.session.id)

    def decisions(self, call_id: str = "") -> list[DecisionRecord]:
        """What was decided about a call, or about all calls of the session."""
        return self._house.store.decisions(self.session.id, call_id)

    def routes(self) -> list[Route]:
        """The traces of the session's latest model calls, compactions included, oldest first."""
        return self._house.store.routes(self.session.id)

    def words(self, entry_id: str) -> str:
        """What the person said in one entry of the session, "" where there is none of that id."""
        return next((one.content for one in self.entries() if one.id == entry_id), "") if entry_id else ""

    def sessions(self) -> list[SessionInfo]:
        """The sessions of this workspace, newest first."""
        return self._house.store.sessions(self.workspace.root)

    def open_session(self, session_id: str) -> None:
        """Leaves this session for another one. Raises `UsageError` while a turn runs, `StoreError` if it is not there."""
        self._leave()
        self._house.open_session(session_id)
        self._enter_session()

    def new_session(self, title: str = "") -> None:
        self._leave()
        self._house.new_session(title)
        self._enter_session()

    def fork(self) -> None:
        """Goes on in a copy of this session; of an empty one there is nothing to copy."""
        if not self.used:
            raise UsageError("There is nothing in this session to copy yet")
        left = self.session.id
        self._leave()
        self._house.fork_session(left)
        self._enter_session()

    def rename(self, title: str) -> None:
        self._house.rename(title)
        self.emit(SessionChanged(session_id=self.session.id, title=title))

    def rename_session(self, session_id: str, title: str) -> None:
        """Renames any session."""
        if session_id == self.session.id:
            self.rename(title)
        else:
            self._house.store.rename(session_id, title)

    def delete_session(self, session_id: str) -> None:
        """Deletes another session. Raises `UsageError` for the open one."""
        if session_id == self.session.id:
            raise UsageError("This session is open", todo="Start a new one first")
        self._house.store.delete(session_id)

    def _leave(self) -> None:
        if self.busy:
            raise UsageError("A turn is running", todo="Stop it first")
        self._house.leave_session()

    def _enter_session(self) -> None:
        """Repairs what a crash left, then takes the session's record."""
        house = self._house
        entries = restore(house.store, house.session.id)
        house.bench_for(Record(house.store, house.session.id, entries, house.bus.emit))
        used = (entry.usage for entry in house.store.entries(house.session.id) if entry.usage)
        self._session_usage = sum(used, start=Usage())
        self._said_small = bool(entries)
        self.emit(SessionChanged(session_id=self.session.id, title=self.session.title))

    # --- what can be chosen -------------------------------------------------------------------------------------

    @property
    def combo(self) -> Combo:
        return self._house.combo

    def set_model(self, name: str) -> Combo:
        """A combo's name or `provider/model`. Raises `UsageError` with the known names."""
        combo = self._house.choose(name)
        self.emit(ModeChanged(permission_mode=self.mode, combo=combo.name))
        return combo

    def set_strategy(self, name: str) -> Combo:
        """Routes the present combo another way until the session's end. Raises `UsageError` with the known names."""
        combo = self._house.route_by(name)
        self.emit(ModeChanged(permission_mode=self.mode, combo=combo.name))
        return combo

    def scoreboard(self) -> Scoreboard:
        """How the combo's candidates stand for the next call, by the router's own count."""
        request, tokens = next_request(self._bench)
        return scoreboard(self._house.gateway, self.combo, request, prompt_tokens=tokens)

    def models(self) -> list[ModelChoice]:
        return model_choices(self._house.roster, self._house.combo)

    @property
    def missing(self) -> tuple[str, ...]:
        """What was looked for and not found, one sentence each with what helps."""
        return self._house.roster.missing

    @property
    def mode(self) -> Mode:
        return self._house.mode

    def set_mode(self, mode: Mode) -> None:
        self._house.mode = mode
        self.emit(ModeChanged(permission_mode=mode, combo=self.combo.name))

    def tools(self) -> list[ToolInfo]:
        return tool_infos(self._house.registry)

    def tool_definition(self, name: str) -> Json:
        """A tool's definition as the model gets it. Raises `UsageError` for an unknown one."""
        if name not in [tool.name for tool in self._house.registry.all()]:
            raise UsageError(f"There is no tool '{name}'", todo="`kram tools list` shows what there is")
        definition: Json = to_plain(self._house.registry.spec(name))
        return definition

    async def run_tool(self, name: str, arguments: JsonView) -> Json:
        """Runs one tool under the gate, outside of any turn; the call and its result are on record like any other."""
        self.tool_definition(name)
        return await run_single(self._bench, name, arguments)

    def set_tool(self, name: str, *, enabled: bool) -> None:
        """Shows a tool to the model or hides it, from the next model call on."""
        self._house.registry.set_enabled(name, enabled=enabled)

    # --- context ------------------------------------------------------------------------------------------------

    def context_report(self) -> ContextReport:
        """What the next request would hold, by the same count the trigger uses."""
        return measure(self._bench)

    async def compact(self, focus: str = "") -> str:
        """Summarises the older part now; says what came of it. Raises `UsageError` while a turn runs."""
        if self.busy:
            raise UsageError("A turn is running", todo="Stop it first")
        before = self.context_report().used
        tally = Tally(self._house.clock.monotonic())
        folded = await compact(self._bench, tally, trigger="manual", focus=focus)
        self._session_usage = self._session_usage + tally.usage
        if not folded.done:
            return folded.reason
        return f"Summarised: {before} tokens became {self.context_report().used}. The originals stay in the session."

    @property
    def _bench(self) -> Bench:
        return self._house.bench

    # --- beside the turn ----------------------------------------------------------------------------------------

    @property
    def processes(self) -> Processes:
        return self._house.processes

    @property
    def usage(self) -> Usage:
        """Of the whole session, turns before this run included."""
        return self._session_usage

    def todos(self) -> tuple[Todo, ...]:
        return self._bench.todos.get()

    def history(self) -> list[str]:
        """Earlier prompts in this workspace, oldest first."""
        return self._house.store.prompts(self.workspace.root)

    def add_history(self, text: str) -> None:
        self._house.store.add_prompt(self.workspace.root, text)

    def draft(self) -> str:
        """What was typed and not sent in this workspace."""
        raw = self._house.store.get_state(str(self.workspace.root), "draft")
        return from_json(raw, str) if raw else ""

    def save_draft(self, text: str) -> None:
        self._house.store.put_state(str(self.workspace.root), "draft", text)

    def files(self, limit: int = 100_000) -> list[str]:
        """Paths for `@`, relative to the workspace, ignore files respected. Blocks; call it in a thread."""
        return self.workspace.list_files(limit)

    def remember(self, text: str) -> str:
        """Adds a fact to the project's memory; it reaches the model from the next turn on."""
        return self._house.memory.add(text)

    @property
    def theme(self) -> str:
        """The colours the person configured."""
        return self._house.loaded.settings.theme

    @property
    def keymap(self) -> dict[str, str]:
        """The keys the person changed: binding id to keys."""
        return self._house.loaded.settings.ui.keymap

    def tell_notes(self) -> None:
        """Says what the person should know about configuration, policy and the store."""
        self._house.tell_notes()

    def warm(self) -> None:
        """Loads in the background what the first turn needs, once the screen stands."""
        self._house.warm()

    def notice(self, text: str) -> None:
        self.emit(Notice(text=text))

    async def close(self) -> None:
        """Stops the turn, ends every process, closes providers and the store. May be called twice."""
        if self._closed:
            return
        self._closed = True
        task = self._turn
        if task is not None:
            task.cancel()
            await asyncio.wait([task])
        await self._house.close()
