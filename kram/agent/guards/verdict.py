"""What a guard may say about a round."""

from __future__ import annotations

from typing import TypeAlias

from kram.base import Data


class Ok(Data):
    """Nothing to object."""


class NoticeModel(Data):
    """Tell the model and go on: stored as a notification with this tag."""

    tag: str
    text: str


class Reprompt(Data):
    """Ask the model again, with a reminder that is sent once and never stored."""

    text: str


class Stop(Data):
    """End the turn and say why. The person can tell the model to go on."""

    reason: str


GuardResult: TypeAlias = Ok | NoticeModel | Reprompt | Stop

OK = Ok()
