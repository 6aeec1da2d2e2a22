"""The one base of data that travels: frozen, slotted, keyword-only, with JSON for free (msgspec)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias, dataclass_transform

import msgspec

Json: TypeAlias = dict[str, Any]
JsonView: TypeAlias = Mapping[str, Any]


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class _FrozenMeta(msgspec.StructMeta):
    """Tells type checkers that every subclass is frozen and keyword-only without repeating it."""


class Data(msgspec.Struct, metaclass=_FrozenMeta, frozen=True, kw_only=True):
    """A frozen, slotted, keyword-only record; `msgspec.structs.replace` makes a changed copy."""
