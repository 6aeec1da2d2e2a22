"""What decides: the mode, defaults by access class, and rules. Plain data; `engine.judge` reads it."""

from __future__ import annotations

import msgspec

from kram.base import Data

from .rules import Rule
from .verdict import AccessClass, Decision, Mode

DEFAULTS: dict[AccessClass, Decision] = {
    "read": "allow",
    "write": "ask",
    "execute": "ask",
    "network": "ask",
    "user": "allow",
    "none": "allow",
}


class Policy(Data):
    """`default` decides where no rule and no class default does. `human`: somebody can be asked.

    `problems` says which policy files could not be used; while there are any, nothing but reading is allowed by itself.
    """

    mode: Mode = "ask"
    default: Decision = "ask"
    defaults: dict[AccessClass, Decision] = msgspec.field(default_factory=lambda: dict(DEFAULTS))
    rules: tuple[Rule, ...] = ()
    everyday: bool = True
    problems: tuple[str, ...] = ()
