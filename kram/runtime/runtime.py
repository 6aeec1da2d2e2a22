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

from kram.agent import Hooks, Turn
from kram.base import Clock, SystemClock, UsageError
from kram.events import ApprovalAnswer, Notice, QueuedMessage, Stamped, TurnResult, UserPort
from kram.messages import ImageBlock

from .beside_part import BesidePart
from .building import build
from .choices_part import ChoicesPart
from .commands import Command, session_commands
from .context_part import ContextPart
from .doctor_part import DoctorPart
from .models_part import ModelsPart
from .options import Options
from .recall_part import RecallPart
from .transfer_part import TransferPart
from .trust_part import TrustPart
from .waiting_user import WaitingUser
from .wiring import House


class Runtime(TransferPart, ChoicesPart, ModelsPart, DoctorPart, ContextPart, RecallPart, TrustPart, BesidePart):
    """Opened with `open`, closed with `close`. One turn runs at a time; `busy` says whether one does."""

    def __init__(self, house: House, waiting: WaitingUser) -> None:
        super().__init__(house)
        self._waiting = waiting
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
        runtime.index_earlier()
        return runtime

    # --- a turn -------------------------------------------------------------------------------------------------

    async def send(self, text: str, images: Sequence[ImageBlock] = ()) -> TurnResult:
        """Runs a turn, then one more for what was queued meanwhile, and returns the result of the last.

        Never raises for a failed turn. Raises `UsageError` while another turn runs.
        """
        if self.busy:
            raise UsageError("A turn is running", todo="Use steer or queue")
        if self._house.inbox.paused:
            raise UsageError("The session is paused", todo="Resume it first")
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
        if result.subtype == "success":
            house.checkpointer.note(house.bench.record, turn.tally.turn)
        self._be_honest(result)
        self._look_again(result)
        return result

    def _be_honest(self, result: TurnResult) -> None:
        """Once a session, what a model of that size can and cannot do."""
        model = self._house.roster.model(result.route[-1].winner) if result.route else None
        if model is not None and model.compact and model.size and not self._said_small:
            self._said_small = True
            text = f"{model.name} has {model.size} parameters: it shows how kram works, but it cannot program."
            self.emit(Notice(text=f"{text} A key or a local server brings a real model; `kram models` says how."))

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

    def inject(self, text: str) -> bool:
        """A message for the moment the model thinks it is done; False where one waits already."""
        return self._house.inbox.inject(text)

    def note(self, text: str, tag: str = "note") -> None:
        """Tells the model of something that happened, with its next call; never as the person's words."""
        self._house.inbox.note(text, tag)

    def whisper(self, text: str) -> None:
        """A word to the model with the first call of the next turn; it is never stored."""
        self._house.inbox.whisper(text)

    def pause(self) -> None:
        """No turn begins until `resume`; a running one goes on."""
        self._house.inbox.paused = True

    def resume(self) -> None:
        self._house.inbox.paused = False

    def set_hooks(self, hooks: Hooks) -> None:
        """A host's look at every round and its hand on the calls of an answer, from the next turn on."""
        self._house.set_hooks(hooks)

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
