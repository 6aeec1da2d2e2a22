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
    """What holds right now.

    `default`: "deny" means that nobody can be asked, and every ask becomes a deny. `defaults`: by access class, where no
    rule fits. `everyday`: whether commands that only look need no rule. `problems`: policy files that could not be used;
    while there are any, every call asks. `notes`: what the person should know, without any effect.
    """

    mode: Mode = "ask"
    default: Decision = "ask"
    defaults: dict[AccessClass, Decision] = msgspec.field(default_factory=lambda: dict(DEFAULTS))
    rules: tuple[Rule, ...] = ()
    everyday: bool = True
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def class_default(self, access: AccessClass) -> Decision:
        return self.defaults.get(access, "ask" if self.default == "allow" else self.default)
